using System;
using System.Collections.Generic;
using static System.Math;
using Text = System.Text.StringBuilder;

namespace Shapes.Plane
{
    /// <summary>A shape with sides.</summary>
    [Serializable]
    public abstract class Shape<T> : Base, IDrawable where T : class
    {
        public const string Greeting = "héllo → wörld";
        private int width, height;
        private readonly List<T> parts = new List<T>();

        // Raised on change.
        public event EventHandler Changed;

        public event Action Closed { add { } remove { } }

        // Makes a shape.
        public Shape(int width) : base(width)
        {
            this.width = Abs(width);
        }

        ~Shape() { }

        // How wide it is.
        public int Width { get; set; }

        public string Name => nameof(width);

        public T this[int index] => parts[index];

        public abstract double Area();

        public static Shape<T> operator +(Shape<T> a, Shape<T> b) => a;

        // Draws it.
        public async Task<Text> DrawAsync(Canvas? canvas)
        {
            int local = Twice(2);
            int Twice(int x) => x * 2;
            Changed?.Invoke(this, new EventArgs());
            await canvas.Pen.StrokeAsync<T>(local);
            return Make<Text>();
        }

        private struct Part
        {
            public int X;
        }
    }

    // Where things are.
    public enum Side
    {
        Left,
        Right = 2,
    }

    public interface IDrawable
    {
        void Draw();
        string Label { get; }
    }

    // A point.
    public record Point(int X, int Y)
    {
        public static Point Origin() => new Shapes.Plane.Point(0, 0);
    }

    public delegate void Handler(object sender);
}
