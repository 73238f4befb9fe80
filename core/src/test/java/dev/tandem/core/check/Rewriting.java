package dev.tandem.core.check;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Replaces parts of a record, however deep they lie. What has not changed stays the same object.
 */
@SuppressWarnings("ReferenceEquality")
final class Rewriting {
    /** What becomes of a part; null to look into it instead. */
    interface Change {
        @Nullable Object of(Part part, Object value);
    }

    /** A component of a record type, as {@code Record.component}. */
    record Part(Class<?> owner, String name, String path) {}

    private record Shape(
            MethodHandle constructor, List<MethodHandle> accessors, List<Part> parts) {}

    private final Set<Class<?>> leaves;
    private final Map<Class<?>, Shape> shapes = new ConcurrentHashMap<>();
    private final Map<Class<?>, Boolean> concerned = new ConcurrentHashMap<>();
    private final Set<String> paths;

    /**
     * @param leaves types whose values may have to be replaced
     * @param paths components whose values may have to be replaced, whatever their type
     */
    Rewriting(Set<Class<?>> leaves, Set<String> paths) {
        this.leaves = leaves;
        this.paths = paths;
    }

    @SuppressWarnings("unchecked")
    <R> R in(R value, Change change) {
        return (R) rewritten(value, change);
    }

    private Object rewritten(Object value, Change change) {
        if (value instanceof List<?> list) {
            return list(list, change);
        }
        if (value instanceof Optional<?> optional) {
            if (optional.isEmpty()) {
                return value;
            }
            Object next = rewritten(optional.get(), change);
            return next == optional.get() ? value : Optional.of(next);
        }
        if (!(value instanceof Record) || !concerned(value.getClass())) {
            return value;
        }
        Shape shape = shapes.computeIfAbsent(value.getClass(), Rewriting::shape);
        try {
            Object[] parts = new Object[shape.accessors().size()];
            boolean same = true;
            for (int i = 0; i < parts.length; i++) {
                Object part = (Object) shape.accessors().get(i).invokeExact(value);
                parts[i] = part(shape.parts().get(i), part, change);
                same &= parts[i] == part;
            }
            return same ? value : (Object) shape.constructor().invokeExact(parts);
        } catch (Throwable e) {
            throw new IllegalStateException("cannot rewrite " + value, e);
        }
    }

    private Object part(Part part, Object value, Change change) {
        Object changed = change.of(part, value);
        if (changed != null) {
            return changed;
        }
        if (value instanceof Optional<?> optional && optional.isPresent()) {
            Object inner = change.of(part, optional.get());
            if (inner != null) {
                return inner == optional.get() ? value : Optional.of(inner);
            }
        }
        if (value instanceof List<?> list && !list.isEmpty()) {
            List<Object> all = new ArrayList<>(list.size());
            boolean same = true;
            for (Object one : list) {
                Object inner = change.of(part, one);
                Object next = inner == null ? rewritten(one, change) : inner;
                same &= next == one;
                all.add(next);
            }
            return same ? value : List.copyOf(all);
        }
        return rewritten(value, change);
    }

    private Object list(List<?> list, Change change) {
        List<Object> all = new ArrayList<>(list.size());
        boolean same = true;
        for (Object one : list) {
            Object next = rewritten(one, change);
            same &= next == one;
            all.add(next);
        }
        return same ? list : List.copyOf(all);
    }

    private static Shape shape(Class<?> type) {
        try {
            MethodHandles.Lookup lookup =
                    MethodHandles.privateLookupIn(type, MethodHandles.lookup());
            RecordComponent[] components = type.getRecordComponents();
            Class<?>[] types = new Class<?>[components.length];
            MethodHandle[] accessors = new MethodHandle[components.length];
            Part[] parts = new Part[components.length];
            for (int i = 0; i < components.length; i++) {
                types[i] = components[i].getType();
                components[i].getAccessor().setAccessible(true);
                accessors[i] =
                        lookup.unreflect(components[i].getAccessor())
                                .asType(MethodType.methodType(Object.class, Object.class));
                String name = components[i].getName();
                parts[i] = new Part(type, name, type.getSimpleName() + "." + name);
            }
            var constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return new Shape(
                    lookup.unreflectConstructor(constructor)
                            .asType(
                                    MethodType.genericMethodType(components.length)
                                            .changeReturnType(Object.class))
                            .asSpreader(Object[].class, components.length),
                    List.of(accessors),
                    List.of(parts));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot look into " + type, e);
        }
    }

    /** Whether values of this type can hold anything that may have to be replaced. */
    private boolean concerned(Class<?> type) {
        Boolean known = concerned.get(type);
        if (known == null) {
            known = reaches(type, new HashSet<>());
            concerned.put(type, known);
        }
        return known;
    }

    private boolean reaches(Type type, Set<Type> visited) {
        if (!visited.add(type)) {
            return false;
        }
        if (type instanceof ParameterizedType parameterized) {
            for (Type argument : parameterized.getActualTypeArguments()) {
                if (reaches(argument, visited)) {
                    return true;
                }
            }
            return reaches(parameterized.getRawType(), visited);
        }
        if (!(type instanceof Class<?> plain)) {
            return false;
        }
        if (leaves.contains(plain)) {
            return true;
        }
        if (plain.isSealed()) {
            for (Class<?> one : plain.getPermittedSubclasses()) {
                if (reaches(one, visited)) {
                    return true;
                }
            }
            return false;
        }
        if (plain.isRecord()) {
            for (RecordComponent component : plain.getRecordComponents()) {
                if (paths.contains(plain.getSimpleName() + "." + component.getName())
                        || reaches(component.getGenericType(), visited)) {
                    return true;
                }
            }
        }
        return false;
    }
}
