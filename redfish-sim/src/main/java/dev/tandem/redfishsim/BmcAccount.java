package dev.tandem.redfishsim;

/** Somebody who may log in to a BMC. The password does not appear in {@link #toString}. */
public record BmcAccount(String user, String password, Role role) {

    /** The three roles that every Redfish service has. */
    public enum Role {
        ADMINISTRATOR("Administrator"),
        OPERATOR("Operator"),
        READ_ONLY("ReadOnly");

        private final String redfishName;

        Role(String redfishName) {
            this.redfishName = redfishName;
        }

        public String redfishName() {
            return redfishName;
        }

        /** The privilege ConfigureComponents, which a reset needs. */
        public boolean mayReset() {
            return this != READ_ONLY;
        }

        boolean mayConfigureUsers() {
            return this == ADMINISTRATOR;
        }

        boolean mayConfigureManager() {
            return this == ADMINISTRATOR;
        }
    }

    public BmcAccount {
        // HTTP ends a user name at a colon, and Redfish puts it into a path.
        if (!user.matches("[A-Za-z0-9._@-]+")) {
            throw new IllegalArgumentException("'" + user + "' is not a user name of a BMC");
        }
    }

    @Override
    public String toString() {
        return "BmcAccount[" + user + ", " + role.redfishName() + "]";
    }
}
