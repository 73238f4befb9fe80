package dev.tandem.core;

/**
 * The kernel's identity of one boot. What a node heard, was promised or was ordered holds for one
 * boot only; two boot ids are equal or not, they have no order.
 */
public record BootId(String value) {
    public BootId {
        if (value.isBlank()) {
            throw new IllegalArgumentException("a boot has an id");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
