/** What has to hold after an incident, asked of the world. */
@NullMarked
package dev.tandem.drill.audit;

import org.jspecify.annotations.NullMarked;
