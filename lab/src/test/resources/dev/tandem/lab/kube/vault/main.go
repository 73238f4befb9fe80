// A real Vault for VaultIT: its own core with the engines and logins that the test uses, in memory, over TLS. Vault's
// whole program has the clients of every cloud in it, and they are most of what would be compiled.
package main

import (
	"context"
	"crypto/tls"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/go-hclog"
	kv "github.com/hashicorp/vault-plugin-secrets-kv"
	"github.com/hashicorp/vault/builtin/credential/approle"
	"github.com/hashicorp/vault/builtin/credential/cert"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/internalshared/configutil"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
)

// builtins names what is compiled in; Vault asks it before it mounts anything.
type builtins struct{}

func (builtins) Contains(name string, kind consts.PluginType) bool {
	return kind == consts.PluginTypeSecrets && name == "kv" ||
		kind == consts.PluginTypeCredential && (name == "approle" || name == "cert")
}

func (builtins) Get(string, consts.PluginType) (func() (interface{}, error), bool) {
	return nil, false
}

func (builtins) Keys(kind consts.PluginType) []string {
	switch kind {
	case consts.PluginTypeSecrets:
		return []string{"kv"}
	case consts.PluginTypeCredential:
		return []string{"approle", "cert"}
	default:
		return nil
	}
}

func (builtins) DeprecationStatus(string, consts.PluginType) (consts.DeprecationStatus, bool) {
	return consts.Supported, true
}

func (builtins) IsBuiltinEntPlugin(string, consts.PluginType) bool { return false }

// main takes a directory with server.crt and server.key, and an address. It writes the root token there when it serves.
func main() {
	directory, address := os.Args[1], os.Args[2]
	logger := hclog.New(&hclog.LoggerOptions{Level: hclog.Warn})
	storage, err := inmem.NewInmem(nil, logger)
	check(err)
	core, err := vault.NewCore(&vault.CoreConfig{
		Physical:           storage,
		LogicalBackends:    map[string]logical.Factory{"kv": kv.Factory},
		CredentialBackends: map[string]logical.Factory{"approle": approle.Factory, "cert": cert.Factory},
		BuiltinRegistry:    builtins{},
		DisableMlock:       true,
		Logger:             logger,
	})
	check(err)
	made, err := core.Initialize(context.Background(), &vault.InitParams{
		BarrierConfig:  &vault.SealConfig{SecretShares: 1, SecretThreshold: 1},
		RecoveryConfig: &vault.SealConfig{SecretShares: 1, SecretThreshold: 1},
	})
	check(err)
	if _, err := core.Unseal(made.SecretShares[0]); err != nil {
		log.Fatal(err)
	}
	server := &http.Server{
		Addr:              address,
		Handler:           vaulthttp.Handler.Handler(&vault.HandlerProperties{Core: core, ListenerConfig: &configutil.Listener{}}),
		TLSConfig:         &tls.Config{ClientAuth: tls.RequestClientCert, MinVersion: tls.VersionTLS12},
		ReadHeaderTimeout: 10 * time.Second,
	}
	check(os.WriteFile(filepath.Join(directory, "root-token"), []byte(made.RootToken), 0o600))
	log.Fatal(server.ListenAndServeTLS(filepath.Join(directory, "server.crt"), filepath.Join(directory, "server.key")))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
