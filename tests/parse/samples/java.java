package com.example.shapes;

import java.util.List;
import java.util.function.*;
import static java.lang.Math.max;
import static org.junit.Assert.*;

/**
 * A shape with sides.
 *
 * @since 1
 */
@SuppressWarnings("größe → ünï")
public abstract class Shape<T extends Number> extends Base implements Drawable {
    public static final String GREETING = "héllo";
    private int width, height = 2;
    @Deprecated
    protected List<T> parts;

    // Counts instances.
    static int count;

    static {
        count = max(1, 2);
    }

    /** Makes a shape. */
    public Shape(int width) {
        super(width);
        this.width = width;
    }

    /** Its area. */
    public abstract double area();

    @Override
    public <R> R accept(Function<T, R> visitor) {
        int local = helper(width);
        Runnable task = () -> run(local);
        Runnable other = new Runnable() {
            @Override
            public void run() { Shape.this.area(); }
        };
        return visitor.apply(parts.get(0));
    }

    // Sides of the plane.
    enum Side {
        LEFT("l"),
        RIGHT("r") {
            @Override String label() { return "→"; }
        };

        private final String code;

        Side(String code) { this.code = code; }

        String label() { return code; }
    }

    /** A point. */
    public record Point(int x, int y) implements Drawable {
        public Point {
            requireNonNull(x);
        }

        static Point origin() { return new Point(0, 0); }
    }
}

/** What can be drawn. */
interface Drawable {
    int LIMIT = 10;

    default void draw() { List.of(1).forEach(System.out::println); }
}

@interface Route {
    String value() default "/";
}
