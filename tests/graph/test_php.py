"""PHP: every edge of small projects, and those that must not be there."""

from __future__ import annotations

from tests.graph.project import Project


def inside(project: Project, path: str | None = None) -> set[str]:
    return {edge for edge in project.edges(path) if " -> external:" not in edge}


def test_classes_of_other_namespaces() -> None:
    project = Project({
        "src/Log/Handler.php": """\
            <?php
            namespace App\\Log;

            class Handler extends Base {
                private Base $next;

                public function handle(Handler $other, $next): Handler {
                    $this->next->close();
                    $other->handle($other)->close();
                    $next->close();
                    return $this;
                }
            }
            """,
        "src/Log/Base.php": "<?php\nnamespace App\\Log;\n\nclass Base {\n    public function close() {}\n}\n",
        "src/Main.php": """\
            <?php
            namespace App;

            use App\\Log\\Handler;
            use Psr\\Log\\Handler as Foreign;

            function run() {
                $handler = new Handler();
                $handler->close();
                $foreign = new Foreign();
                $foreign->handle();
                foreach ($all as $handler) {
                    $handler->close();
                }
            }
            """,
    })  # fmt: skip
    assert inside(project) == {
        "src/Log/Handler.php:4 Base -> src/Log/Base.php:Base proven",
        "src/Log/Handler.php:5 Base -> src/Log/Base.php:Base proven",
        "src/Log/Handler.php:7 Handler -> src/Log/Handler.php:Handler proven",
        "src/Log/Handler.php:8 next -> src/Log/Handler.php:Handler.next proven",
        "src/Log/Handler.php:8 close -> src/Log/Base.php:Base.close typed",
        "src/Log/Handler.php:9 handle -> src/Log/Handler.php:Handler.handle typed",
        "src/Log/Handler.php:9 close -> src/Log/Base.php:Base.close typed",
        "src/Main.php:4 Handler -> src/Log/Handler.php:Handler proven",
        "src/Main.php:8 Handler -> src/Log/Handler.php:Handler proven",
        "src/Main.php:9 close -> src/Log/Base.php:Base.close typed",
    }


def test_members_by_kind_and_by_what_is_above() -> None:
    project = Project({
        "src/Model.php": """\
            <?php
            namespace App;

            use App\\Support\\{Text, Named as Naming, function slug};

            abstract class Model implements Contract {
                use Naming;

                const LIMIT = 1;
                protected $name;
                private static ?Model $last = null;

                public function __construct(protected ?Text $text, $other) {
                    $this->name = new Text();
                }

                public function name(): static {
                    self::$last->name();
                    $this->name->trim();
                    $this->text?->trim();
                    $other->trim();
                    echo static::LIMIT, self::LIMIT, Contract::LIMIT, \\App\\Model::class;
                    return $this->label()->name();
                }

                public static function make(): self {
                    return (new static(null))->name();
                }
            }
            """,
        "src/Post.php": """\
            <?php
            namespace App;

            class Post extends Model {
                public function name(): static {
                    parent::name();
                    parent::label();
                    slug($this->label());
                    trim($this->name);
                    self::make()->name();
                    strlen(name: 1);
                    $post = new \\Post();
                    $post->name();
                    $model = Model::make();
                    $model->label();
                    return $this;
                }
            }
            """,
        "src/Contract.php": "<?php\nnamespace App;\ninterface Contract { const LIMIT = 2; }\n",
        "src/Support/Text.php": "<?php\nnamespace App\\Support;\nclass Text { public function trim() {} }\n",
        "src/Support/Named.php": "<?php\nnamespace App\\Support;\ntrait Named { public function label(): self {} }\n",
        "src/helpers.php": "<?php\nnamespace App;\nfunction slug() {}\nfunction name() {}\n",
        "src/Support/helpers.php": "<?php\nnamespace App\\Support;\nfunction slug() {}\n",
    })  # fmt: skip
    model, text, named = "src/Model.php:Model", "src/Support/Text.php:Text", "src/Support/Named.php:Named"
    assert inside(project, "src/Model.php") == {
        f"src/Model.php:4 Text -> {text} proven",
        f"src/Model.php:4 Named -> {named} proven",
        "src/Model.php:4 slug -> src/Support/helpers.php:slug proven",
        "src/Model.php:6 Contract -> src/Contract.php:Contract proven",
        f"src/Model.php:7 Naming -> {named} proven",
        f"src/Model.php:11 Model -> {model} proven",
        f"src/Model.php:13 Text -> {text} proven",
        f"src/Model.php:14 name -> {model}.name proven",
        f"src/Model.php:14 Text -> {text} proven",
        f"src/Model.php:18 last -> {model}.last proven",
        f"src/Model.php:18 name -> {model}.name typed",
        f"src/Model.php:19 name -> {model}.name proven",
        f"src/Model.php:19 trim -> {text}.trim typed",
        f"src/Model.php:20 text -> {model}.text proven",
        f"src/Model.php:20 trim -> {text}.trim typed",
        f"src/Model.php:22 LIMIT -> {model}.LIMIT proven",
        "src/Model.php:22 Contract -> src/Contract.php:Contract proven",
        "src/Model.php:22 LIMIT -> src/Contract.php:Contract.LIMIT proven",
        f"src/Model.php:22 Model -> {model} proven",
        f"src/Model.php:23 label -> {named}.label proven",
    }
    assert inside(project, "src/Post.php") == {
        f"src/Post.php:4 Model -> {model} proven",
        f"src/Post.php:6 name -> {model}.name proven",
        f"src/Post.php:7 label -> {named}.label proven",
        "src/Post.php:8 slug -> src/helpers.php:slug proven",
        f"src/Post.php:8 label -> {named}.label proven",
        f"src/Post.php:9 name -> {model}.name proven",
        f"src/Post.php:10 make -> {model}.make proven",
        f"src/Post.php:10 name -> {model}.name typed",
        f"src/Post.php:14 Model -> {model} proven",
        f"src/Post.php:14 make -> {model}.make proven",
        f"src/Post.php:15 label -> {named}.label typed",
    }


def test_static_is_the_class_that_is_asked() -> None:
    project = Project({
        "a.php": """\
            <?php
            class A {
                public static function make(): static { return new static; }
                public static function old() { return new static(); }
                public static function own(): self { return new self; }
                public function go() {}
            }
            class B extends A { public function go() {} }
            function f() {
                B::make()->go();
                A::make()->go();
                B::old()->go();
                B::own()->go();
            }
            """,
    })  # fmt: skip
    assert {edge for edge in inside(project, "a.php") if " go " in edge} == {
        "a.php:10 go -> a.php:B.go typed",
        "a.php:11 go -> a.php:A.go typed",
        "a.php:13 go -> a.php:A.go typed",
    }


def test_traits_come_before_the_class_above() -> None:
    project = Project({
        "a.php": """\
            <?php
            class P { public function go() {} }
            trait T { public function go() {} }
            trait U { public function go() {} }
            class C extends P { use T; function f() { parent::go(); } }
            class D extends P { use T, U { T::go insteadof U; } }
            function f(C $c, D $d) {
                $c->go();
                $d->go();
            }
            """,
    })  # fmt: skip
    assert {edge for edge in inside(project, "a.php") if " go " in edge} == {
        "a.php:5 go -> a.php:P.go proven",
        "a.php:8 go -> a.php:T.go typed",
    }
