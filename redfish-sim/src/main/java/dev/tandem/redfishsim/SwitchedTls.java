package dev.tandem.redfishsim;

import java.security.SecureRandom;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;

/**
 * Hands each connection to the context that holds by then: the JDK's server takes one context for
 * its life. What one context knows of sessions, another does not.
 */
final class SwitchedTls extends SSLContextSpi {
    private final Supplier<SSLContext> current;

    private SwitchedTls(Supplier<SSLContext> current) {
        this.current = current;
    }

    static SSLContext context(Supplier<SSLContext> current) {
        SSLContext first = current.get();
        return new SSLContext(
                new SwitchedTls(current), first.getProvider(), first.getProtocol()) {};
    }

    @Override
    protected void engineInit(
            KeyManager[] keyManagers, TrustManager[] trustManagers, SecureRandom random) {
        throw new IllegalStateException("the contexts behind it are ready");
    }

    @Override
    protected SSLEngine engineCreateSSLEngine() {
        return current.get().createSSLEngine();
    }

    @Override
    protected SSLEngine engineCreateSSLEngine(String host, int port) {
        return current.get().createSSLEngine(host, port);
    }

    @Override
    protected SSLSocketFactory engineGetSocketFactory() {
        return current.get().getSocketFactory();
    }

    @Override
    protected SSLServerSocketFactory engineGetServerSocketFactory() {
        return current.get().getServerSocketFactory();
    }

    @Override
    protected SSLSessionContext engineGetServerSessionContext() {
        return current.get().getServerSessionContext();
    }

    @Override
    protected SSLSessionContext engineGetClientSessionContext() {
        return current.get().getClientSessionContext();
    }

    @Override
    protected SSLParameters engineGetDefaultSSLParameters() {
        return current.get().getDefaultSSLParameters();
    }

    @Override
    protected SSLParameters engineGetSupportedSSLParameters() {
        return current.get().getSupportedSSLParameters();
    }
}
