// A cluster of Vault in one process: each address of the command line is a node, and all share a storage in memory.
// What makes the answers is Vault's own: listener, HTTP handler, core, logins and secrets engine. It starts as a new
// installation does, not initialized; whoever started it goes on over the API.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/hashicorp/go-hclog"
	kv "github.com/hashicorp/vault-plugin-secrets-kv"
	"github.com/hashicorp/vault/audit"
	"github.com/hashicorp/vault/builtin/credential/approle"
	"github.com/hashicorp/vault/builtin/credential/cert"
	"github.com/hashicorp/vault/command/server"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/internalshared/configutil"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
)

// The core has its backends by CoreConfig; the registry is asked about the others.
type noOthers struct{}

func (noOthers) Contains(string, consts.PluginType) bool { return false }

func (noOthers) Get(string, consts.PluginType) (func() (interface{}, error), bool) {
	return nil, false
}

func (noOthers) Keys(consts.PluginType) []string { return nil }

func (noOthers) DeprecationStatus(string, consts.PluginType) (consts.DeprecationStatus, bool) {
	return consts.Unknown, false
}

func (noOthers) IsBuiltinEntPlugin(string, consts.PluginType) bool { return false }

func node(directory, address string, forwards bool, storage physical.Backend, log hclog.Logger) (*http.Server, net.Listener, error) {
	cluster := ""
	if forwards {
		// Any port: the node tells the others where it listens for what they forward.
		cluster = "https://127.0.0.1:0"
	}
	core, err := vault.NewCore(&vault.CoreConfig{
		Physical:           storage,
		HAPhysical:         storage.(physical.HABackend),
		RedirectAddr:       "https://" + address,
		ClusterAddr:        cluster,
		BuiltinRegistry:    noOthers{},
		LogicalBackends:    map[string]logical.Factory{"kv": kv.Factory},
		CredentialBackends: map[string]logical.Factory{"approle": approle.Factory, "cert": cert.Factory},
		AuditBackends:      map[string]audit.Factory{},
		DisableMlock:       true,
		Logger:             log,
	})
	if err != nil {
		return nil, nil, err
	}
	config := &configutil.Listener{
		Type:                 "tcp",
		Address:              address,
		RequireRequestHeader: true,
		TLSCertFile:          filepath.Join(directory, "server.crt"),
		TLSKeyFile:           filepath.Join(directory, "server.key"),
	}
	listener, _, _, err := server.NewListener(config, os.Stderr, nil)
	if err != nil {
		return nil, nil, err
	}
	handler := vaulthttp.Handler.Handler(&vault.HandlerProperties{Core: core, ListenerConfig: config})
	if forwards {
		core.SetClusterListenerAddrs([]*net.TCPAddr{{IP: net.IPv4(127, 0, 0, 1)}})
	}
	core.SetClusterHandler(handler)
	return &http.Server{Handler: handler}, listener, nil
}

func run(directory string, forwards bool, addresses []string) error {
	log := hclog.New(&hclog.LoggerOptions{Level: hclog.Info, Output: os.Stderr})
	storage, err := inmem.NewInmemHA(nil, log)
	if err != nil {
		return err
	}
	ended := make(chan error)
	for _, address := range addresses {
		node, listener, err := node(directory, address, forwards, storage, log.Named(address))
		if err != nil {
			return err
		}
		go func() { ended <- node.Serve(listener) }()
	}
	return <-ended
}

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: vault DIRECTORY forward|redirect ADDRESS...")
		os.Exit(2)
	}
	fmt.Fprintln(os.Stderr, run(os.Args[1], os.Args[2] == "forward", os.Args[3:]))
	os.Exit(1)
}
