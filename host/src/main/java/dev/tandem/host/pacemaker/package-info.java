/**
 * Corosync, Pacemaker and pcs: what they are told and what they tell. The configuration is a typed
 * desired state that is compared with the actual one; status, fencing and attributes are read as
 * values, and what could not be learned is a value too.
 */
@NullMarked
package dev.tandem.host.pacemaker;

import org.jspecify.annotations.NullMarked;
