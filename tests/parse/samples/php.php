<?php
declare(strict_types=1);

namespace App\Shapes;

use App\Base;
use App\Models\{User, Group as Team};
use App\Contracts\Drawable as CanDraw, Countable;
use function App\helpers\area;

require_once __DIR__ . '/setup.php';
include 'légacy.php';

const GREETING = "héllo → wörld";

/**
 * A shape with sides.
 *
 * @see Base
 */
#[Entity(name: 'größe')]
abstract class Shape extends Base implements CanDraw
{
    use Loggable;

    public const SIDES = 4, CORNERS = 4;
    protected ?string $name = null;
    private static int $count = 0, $total;

    /** Makes a shape. */
    public function __construct(private readonly User $owner, protected int $width = 1, string $extra = '')
    {
        parent::__construct($extra);
        $local = area($width);
    }

    abstract protected function area(): float;

    // Draws it.
    public static function draw(Team $team): static
    {
        $fn = function ($x) { return $x; };
        $twice = fn (int $x): int => $x * 2;
        $shape = new static();
        $team?->notify($twice(2));
        return self::make(new Circle($shape->owner->name()));
    }
}

// What can be logged.
trait Loggable
{
    public function log(string $text): void
    {
        \error_log($text);
    }
}

interface HasArea
{
    public function area(): float;
}

enum Side: string
{
    // One side.
    case Left = 'l';
    case Right = 'r';

    public const FIRST = self::Left;

    public function label(): string
    {
        return ucfirst($this->value);
    }
}

/** Runs it all. */
function run(Shape|HasArea $thing): void
{
    function nested(): void {}
    \App\helpers\log($thing);
    new \App\Models\User();
}
