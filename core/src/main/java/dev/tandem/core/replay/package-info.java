/**
 * What a supervisor took in and what it answered, kept so that another version can be asked the
 * same: which of it is kept, and where that version answers differently.
 */
@NullMarked
package dev.tandem.core.replay;

import org.jspecify.annotations.NullMarked;
