@NullMarked
package dev.tandem.lab.failover;

import org.jspecify.annotations.NullMarked;
