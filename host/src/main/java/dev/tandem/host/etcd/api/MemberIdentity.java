package dev.tandem.host.etcd.api;

import dev.tandem.host.etcd.api.EtcdApi.Member;
import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * By what a node is found in a member list. A member that has never started has no name there, only
 * URLs; and one that has may be listed under fewer URLs than it has, or under others.
 *
 * @param peerUrls where the node listens for other members, one a link
 */
public record MemberIdentity(String name, List<URI> peerUrls) {
    public MemberIdentity {
        peerUrls = List.copyOf(peerUrls);
        if (name.isEmpty() || peerUrls.isEmpty()) {
            throw new IllegalArgumentException("a member has a name and a URL");
        }
    }

    /** The member that is this node: by a URL, which etcd lists for one member only; or by name. */
    public Optional<Member> in(List<Member> members) {
        return members.stream()
                .filter(member -> member.peerUrls().stream().anyMatch(peerUrls::contains))
                .findFirst()
                .or(() ->
                        members.stream().filter(member -> member.name().equals(name)).findFirst());
    }

    /** Whether it is listed under all of its URLs and no other. */
    public boolean isListedFully(Member member) {
        Set<URI> listed = new HashSet<>(member.peerUrls());
        return listed.equals(new HashSet<>(peerUrls));
    }
}
