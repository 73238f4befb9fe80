package dev.tandem.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * What Pacemaker says about the pair. There is one, called {@value #NAME}. It is created empty and
 * filled through its status subresource: the API server drops a status that comes with a create.
 *
 * <p>Stored as v1, and served as v1alpha1 too; both have this shape.
 */
@Group(PacemakerCluster.GROUP)
@Version(PacemakerCluster.VERSION)
@Kind(PacemakerCluster.KIND)
@Singular("pacemakercluster")
@Plural("pacemakerclusters")
@ValidationRule(
        value = "self.metadata.name == '" + PacemakerCluster.NAME + "'",
        message =
                "there is one PacemakerCluster and its name is cluster: use metadata.name cluster")
@ValidationRule(
        value = "!has(oldSelf.status) || has(self.status)",
        message = "a status that was written stays: send the whole status, or leave it alone")
@JsonInclude(JsonInclude.Include.NON_NULL)
// Without it fabric8 looks the kind up in its own list and makes a generic object of it.
@JsonDeserialize(using = JsonDeserializer.None.class)
public final class PacemakerCluster implements HasMetadata {
    public static final String GROUP = "etcd.openshift.io";
    public static final String VERSION = "v1";
    public static final String KIND = "PacemakerCluster";

    /** The only name such an object may have. */
    public static final String NAME = "cluster";

    @Serial private static final long serialVersionUID = 1L;

    private String apiVersion = GROUP + "/" + VERSION;
    private String kind = KIND;
    private ObjectMeta metadata = new ObjectMeta();
    private transient @Nullable PacemakerClusterStatus status;

    /** Without a status, as it has to be created. */
    public static PacemakerCluster empty() {
        PacemakerCluster cluster = new PacemakerCluster();
        cluster.metadata.setName(NAME);
        return cluster;
    }

    @Override
    public String getApiVersion() {
        return apiVersion;
    }

    @Override
    public void setApiVersion(String apiVersion) {
        this.apiVersion = apiVersion;
    }

    @Override
    public String getKind() {
        return kind;
    }

    public void setKind(String kind) {
        this.kind = kind;
    }

    @Override
    public ObjectMeta getMetadata() {
        return metadata;
    }

    @Override
    public void setMetadata(ObjectMeta metadata) {
        this.metadata = metadata;
    }

    /** Null until somebody has reported. */
    @JsonPropertyDescription(
            "What Pacemaker reported last. Absent until the first report; written through the"
                    + " status subresource.")
    public @Nullable PacemakerClusterStatus getStatus() {
        return status;
    }

    public void setStatus(@Nullable PacemakerClusterStatus status) {
        this.status = status;
    }
}
