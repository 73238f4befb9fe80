/** What stock fence agents say of themselves. */
@NullMarked
package dev.tandem.host.pacemaker.fenceagent;

import org.jspecify.annotations.NullMarked;
