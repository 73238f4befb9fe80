package dev.tandem.host.bmc.fence;

/** What Pacemaker and pcs are told about fence_tandem. */
final class FenceMetadata {
    /**
     * No address, no user and no password: the agent on the node has them, and so they stand
     * neither in the CIB nor on a command line. "on" is not automatic: a node that comes back must
     * not need to be unfenced.
     */
    static final String XML =
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <resource-agent name="fence_tandem" shortdesc="Fencing through the node's Tandem agent">
              <longdesc lang="en">
            Switches a node through its BMC, over the authenticated Redfish session that tandem-agent
            keeps open. A node counts as off when its power state has been read as Off. If tandem-agent
            does not run, this device fails at once and the next fencing level is used.
              </longdesc>
              <parameters>
                <parameter name="action" unique="0" required="1">
                  <getopt mixed="-o, --action=[action]"/>
                  <content type="string"/>
                  <shortdesc lang="en">What to do</shortdesc>
                </parameter>
                <parameter name="plug" unique="0" required="0" obsoletes="port">
                  <getopt mixed="-n, --plug=[node]"/>
                  <content type="string"/>
                  <shortdesc lang="en">Name of the node to switch</shortdesc>
                </parameter>
                <parameter name="port" unique="0" required="0" deprecated="1">
                  <getopt mixed="-n, --plug=[node]"/>
                  <content type="string"/>
                  <shortdesc lang="en">Name of the node to switch</shortdesc>
                </parameter>
                <parameter name="power_timeout" unique="0" required="0">
                  <getopt mixed="--power-timeout=[seconds]"/>
                  <content type="second" default="20"/>
                  <shortdesc lang="en">How long the power state may take to change</shortdesc>
                </parameter>
              </parameters>
              <actions>
                <action name="on" automatic="0"/>
                <action name="off"/>
                <action name="reboot"/>
                <action name="status"/>
                <action name="monitor"/>
                <action name="list"/>
                <action name="list-status"/>
                <action name="validate-all"/>
                <action name="metadata"/>
              </actions>
            </resource-agent>
            """;

    private FenceMetadata() {}
}
