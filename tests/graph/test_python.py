"""Python: every edge of small projects, and those that must not be there."""

from __future__ import annotations

from tests.graph.project import Project


def test_scopes_imports_and_classes() -> None:
    project = Project({
        "app/__init__.py": "from .models import User\n",
        "app/models.py": """\
            class Base:
                def save(self):
                    self.check()

                def check(self):
                    pass


            class User(Base):
                def __init__(self, name):
                    self.name = name

                def save(self):
                    super().save()
                    return self.name
            """,
        "main.py": """\
            from app import User
            import app.models as m


            def make(name: str) -> User:
                user = User(name)
                user.save()
                return user


            make("a").check()
            m.User.save
            """,
    })  # fmt: skip
    assert project.edges() == {
        "app/__init__.py:1 models -> app/models.py: proven",
        "app/__init__.py:1 User -> app/models.py:User proven",
        "app/models.py:3 check -> app/models.py:Base.check proven",
        "app/models.py:9 Base -> app/models.py:Base proven",
        "app/models.py:14 save -> app/models.py:Base.save proven",
        "app/models.py:15 name -> app/models.py:User.name proven",
        "main.py:1 app -> app/__init__.py: proven",
        "main.py:1 User -> app/models.py:User proven",
        "main.py:2 models -> app/models.py: proven",
        "main.py:5 str -> external:str proven",
        "main.py:5 User -> app/models.py:User proven",
        "main.py:6 User -> app/models.py:User proven",
        "main.py:7 save -> app/models.py:User.save typed",
        "main.py:11 make -> main.py:make proven",
        "main.py:11 check -> app/models.py:Base.check typed",
        "main.py:12 m -> app/models.py: proven",
        "main.py:12 User -> app/models.py:User proven",
        "main.py:12 save -> app/models.py:User.save proven",
    }


def test_no_phantoms() -> None:
    """The same method name elsewhere, a library's call, a shadowed name: no edge to the project's."""
    project = Project({
        "a.py": "class Cache:\n    def get(self): ...\n\n\ndef loads(text): ...\n",
        "b.py": """\
            import json
            from a import Cache


            class Other:
                def get(self): ...


            def use(cache, loads):
                cache.get()
                loads(1)
                json.loads("1")
                {}.get(1)
                Other().get()
                Cache().get()
            """,
    })  # fmt: skip
    found = {edge for edge in project.edges("b.py") if " get " in edge or " loads " in edge}
    assert found == {
        "b.py:12 loads -> external:json.loads proven",
        "b.py:14 get -> b.py:Other.get typed",
        "b.py:15 get -> a.py:Cache.get typed",
    }


def test_names_before_they_are_bound() -> None:
    """Bases and values of parameters are read outside of what they stand in, the right side of `x = x` before it."""
    project = Project({
        "kinds.py": """\
            import uuid
            from base import Field, dict_of

            SIZE = 1
            str = str


            class Table(Field):
                SIZE = 2

                def Field(self): ...

                uuid = Field(uuid.uuid4)
                again = uuid

                @property
                def width(self): ...

                @width.setter
                def width(self, value): ...

                def fit(self, SIZE=SIZE, other: Field = None) -> Field:
                    return SIZE, later


            later = 1


            def run(dict_of=dict_of, f=lambda later=later: later):
                return dict_of
            """,
        "base.py": "class Field: ...\n\n\ndef dict_of(): ...\n",
    })  # fmt: skip
    assert {edge for edge in project.edges("kinds.py") if ":1 " not in edge and ":2 " not in edge} == {
        "kinds.py:5 str -> external:str proven",
        "kinds.py:8 Field -> base.py:Field proven",
        "kinds.py:13 Field -> kinds.py:Table.Field proven",
        "kinds.py:13 uuid -> external:uuid proven",
        "kinds.py:13 uuid4 -> external:uuid.uuid4 proven",
        "kinds.py:14 uuid -> kinds.py:Table.uuid proven",
        "kinds.py:16 property -> external:property proven",
        "kinds.py:19 width -> kinds.py:Table.width proven",
        "kinds.py:22 SIZE -> kinds.py:Table.SIZE proven",
        "kinds.py:22 Field -> kinds.py:Table.Field proven",
        "kinds.py:23 later -> kinds.py:later proven",
        "kinds.py:29 dict_of -> base.py:dict_of proven",
        "kinds.py:29 later -> kinds.py:later proven",
    }


def test_super_with_arguments() -> None:
    """It starts above the class that it names, wherever that is defined."""
    project = Project({
        "base.py": """\
            class Top:
                def save(self): ...


            class Base(Top):
                def save(self): ...
            """,
        "child.py": """\
            from base import Base


            class Child(Base):
                def save(self):
                    super(Child, self).save()
                    super(Base, self).save()
                    super().save()
                    super.save(self)


            class Grandchild(Child):
                def save(self):
                    super(Child, self).save()
            """,
    })  # fmt: skip
    assert {edge for edge in project.edges("child.py") if " save " in edge} == {
        "child.py:6 save -> base.py:Base.save proven",
        "child.py:7 save -> base.py:Top.save proven",
        "child.py:8 save -> base.py:Base.save proven",
        "child.py:9 save -> external:super.save proven",
        "child.py:14 save -> base.py:Base.save proven",
    }


def test_types_of_what_is_caught_entered_asked_for_and_looped_over() -> None:
    project = Project({
        "kinds.py": """\
            from typing import Iterator, Optional


            class Trouble(Exception):
                def tell(self): ...


            class Item:
                def use(self): ...


            class Door:
                items: list[Item]

                def __enter__(self):
                    return self

                def __iter__(self) -> Iterator[Item]: ...

                def close(self): ...


            class Lock:
                def __enter__(self) -> Item: ...

                def close(self): ...


            class Shut:
                def __enter__(self): ...

                def close(self): ...
            """,
        "main.py": """\
            from kinds import Door, Item, Lock, Shut, Trouble


            def run(thing, many: list[Item], one: Optional[Item], kind: type[Door]):
                try:
                    with Door() as door, Lock() as item, Shut() as shut:
                        door.close()
                        item.use()
                        shut.close()
                except (OSError, ValueError) as error:
                    error.tell()
                except Trouble as error:
                    error.tell()
                if isinstance(thing, Item) and thing.use():
                    thing.use()
                elif isinstance(thing, (Item, Door)):
                    thing.close()
                else:
                    thing.use()
                thing.use()
                if not isinstance(thing, Item):
                    thing.use()
                assert isinstance(thing, Door)
                thing.close()
                for each in many:
                    each.use()
                for each in thing.items:
                    each.use()
                for each in thing:
                    each.use()
                many.append(one.use())
                kind().close()
            """,
    })  # fmt: skip
    found = {edge for edge in project.edges("main.py") if " typed" in edge}
    assert found == {
        "main.py:7 close -> kinds.py:Door.close typed",
        "main.py:8 use -> kinds.py:Item.use typed",
        "main.py:13 tell -> kinds.py:Trouble.tell typed",
        "main.py:14 use -> kinds.py:Item.use typed",
        "main.py:15 use -> kinds.py:Item.use typed",
        "main.py:24 close -> kinds.py:Door.close typed",
        "main.py:26 use -> kinds.py:Item.use typed",
        "main.py:27 items -> kinds.py:Door.items typed",
        "main.py:28 use -> kinds.py:Item.use typed",
        "main.py:30 use -> kinds.py:Item.use typed",
        "main.py:31 append -> external:?.append typed",
        "main.py:31 use -> kinds.py:Item.use typed",
        "main.py:32 close -> kinds.py:Door.close typed",
    }


def test_attributes_of_patterns_and_the_class_of_an_object() -> None:
    project = Project({
        "main.py": """\
            class Pair:
                def __init__(self, left, right):
                    self.left, self.right = left, right

                def copy(self):
                    return self.__class__(self.left, self.right).check(Pair.copy)

                def check(self, other):
                    return isinstance(other, self.__class__) and other.left
            """,
    })  # fmt: skip
    assert project.edges() == {
        "main.py:6 left -> main.py:Pair.left proven",
        "main.py:6 right -> main.py:Pair.right proven",
        "main.py:6 check -> main.py:Pair.check typed",
        "main.py:6 Pair -> main.py:Pair proven",
        "main.py:6 copy -> main.py:Pair.copy proven",
        "main.py:9 isinstance -> external:isinstance proven",
        "main.py:9 left -> main.py:Pair.left typed",
    }


def test_attributes_of_a_class_and_of_the_one_above() -> None:
    """What a class assigns itself is its own, unless a class above declares it."""
    project = Project({
        "main.py": """\
            class Base:
                declared = None

                def setUp(self):
                    self.client = 1


            class Child(Base):
                def setUp(self):
                    self.client = 2
                    self.declared = 3

                def run(self):
                    return self.client, self.declared


            class Grandchild(Base):
                def run(self):
                    return self.client
            """,
    })  # fmt: skip
    assert {edge for edge in project.edges() if " Base " not in edge} == {
        "main.py:11 declared -> main.py:Base.declared proven",
        "main.py:14 client -> main.py:Child.client proven",
        "main.py:14 declared -> main.py:Base.declared proven",
        "main.py:19 client -> main.py:Base.client proven",
    }


def test_classes_above_in_the_order_of_python() -> None:
    """What two bases share comes after both; a library's class may own what only a later base has."""
    project = Project({
        "m.py": """\
            import lib
            from typing import Generic


            class A:
                def g(self): ...

                def h(self): ...


            class B(A): ...


            class C(A):
                def g(self): ...


            class D(B, C):
                def go(self):
                    self.g()
                    super().g()
                    super().h()


            class Late(C, lib.Thing):
                def go(self):
                    self.g()


            class Early(lib.Thing, C):
                def go(self):
                    self.g()
                    self.go()


            class Made(lib.make(), C):
                def go(self):
                    self.g()


            class Known(Generic[int], dict, C):
                def go(self):
                    self.g()
                    self.get()


            class Odd(A, C):
                def go(self):
                    self.g()


            def local(base):
                class Inner(base, C):
                    def go(self):
                        self.g()
            """,
    })  # fmt: skip
    assert {edge for edge in project.edges() if {"g", "h", "go", "get"} & set(edge.split())} == {
        "m.py:20 g -> m.py:C.g proven",
        "m.py:21 g -> m.py:C.g proven",
        "m.py:22 h -> m.py:A.h proven",
        "m.py:27 g -> m.py:C.g proven",
        "m.py:32 g -> external:lib.Thing.g proven",
        "m.py:33 go -> m.py:Early.go proven",
        "m.py:38 g -> external:?.g proven",
        "m.py:43 g -> m.py:C.g proven",
        "m.py:44 get -> external:dict.get proven",
        "m.py:49 g -> external:?.g proven",
        "m.py:55 g -> external:?.g proven",
    }


def test_what_a_pattern_binds() -> None:
    """A name in a `case` is bound there, unless it is a class or has a dot."""
    project = Project({
        "lib.py": "class Point: ...\n\n\nclass Kind:\n    A = 1\n\n\ndef helper(): ...\n\n\ndef other(): ...\n",
        "main.py": """\
            from lib import Kind, Point, helper, other


            def one(x):
                match x:
                    case {"k": helper}:
                        helper()
                    case [other, *_]:
                        other()


            def two(x):
                match x:
                    case Point(other=helper) | Kind.A:
                        helper()
                        other()


            def three(x):
                match x:
                    case Point() as helper, *other:
                        helper()
                        other()


            def four(x):
                match x:
                    case {"k": 1, **helper}:
                        helper()
                    case other if other():
                        pass
            """,
    })  # fmt: skip
    assert {edge for edge in project.edges("main.py") if ":1 " not in edge} == {
        "main.py:14 Point -> lib.py:Point proven",
        "main.py:14 Kind -> lib.py:Kind proven",
        "main.py:14 A -> lib.py:Kind.A proven",
        "main.py:16 other -> lib.py:other proven",
        "main.py:21 Point -> lib.py:Point proven",
    }


def test_none_for_an_import_that_fails() -> None:
    """What is used is the import, here and elsewhere."""
    project = Project({
        "lib.py": "class Conn:\n    def close(self): ...\n",
        "opt.py": """\
            try:
                from lib import Conn
                import yaml
            except ImportError:
                Conn = None
                yaml = None
            size = None


            def use():
                Conn().close()
                yaml.load(size)
            """,
        "main.py": "from opt import Conn, size\n\nConn().close()\n",
    })  # fmt: skip
    assert project.edges("opt.py") | project.edges("main.py") == {
        "opt.py:2 lib -> lib.py: proven",
        "opt.py:2 Conn -> lib.py:Conn proven",
        "opt.py:4 ImportError -> external:ImportError proven",
        "opt.py:11 Conn -> lib.py:Conn proven",
        "opt.py:11 close -> lib.py:Conn.close typed",
        "opt.py:12 yaml -> external:yaml proven",
        "opt.py:12 load -> external:yaml.load proven",
        "opt.py:12 size -> opt.py:size proven",
        "main.py:1 opt -> opt.py: proven",
        "main.py:1 Conn -> lib.py:Conn proven",
        "main.py:1 size -> opt.py:size proven",
        "main.py:3 Conn -> lib.py:Conn proven",
        "main.py:3 close -> lib.py:Conn.close typed",
    }


def test_packages_of_one_name() -> None:
    """Each service has its own; who is in none of them means neither, unless one is the source root's."""
    project = Project({
        "svc_a/common/__init__.py": "def f(): ...\n",
        "svc_a/common/only.py": "def g(): ...\n",
        "svc_a/app.py": "from common import f\n\nf()\n",
        "svc_b/common/__init__.py": "def f(): ...\n",
        "svc_b/app.py": "from common import f\n\nf()\n",
        "tools/run.py": "import common\nfrom common import f\nfrom common.only import g\n\nf(common.f, g)\n",
        "src/kit/__init__.py": "def h(): ...\n",
        "old/kit/__init__.py": "def h(): ...\n",
        "tools/other.py": "from kit import h\n",
    })  # fmt: skip
    assert project.edges() == {
        "svc_a/app.py:1 common -> svc_a/common/__init__.py: proven",
        "svc_a/app.py:1 f -> svc_a/common/__init__.py:f proven",
        "svc_a/app.py:3 f -> svc_a/common/__init__.py:f proven",
        "svc_b/app.py:1 common -> svc_b/common/__init__.py: proven",
        "svc_b/app.py:1 f -> svc_b/common/__init__.py:f proven",
        "svc_b/app.py:3 f -> svc_b/common/__init__.py:f proven",
        "tools/run.py:3 only -> svc_a/common/only.py: proven",
        "tools/run.py:3 g -> svc_a/common/only.py:g proven",
        "tools/run.py:5 g -> svc_a/common/only.py:g proven",
        "tools/other.py:1 kit -> src/kit/__init__.py: proven",
        "tools/other.py:1 h -> src/kit/__init__.py:h proven",
    }


def test_a_call_that_is_not_awaited() -> None:
    """It gives a coroutine, not what the function says it gives."""
    project = Project({
        "main.py": """\
            class Conn:
                def close(self): ...


            async def coro() -> Conn: ...


            async def made():
                return Conn()


            def sync():
                return coro()


            async def use():
                coro().close()
                made().close()
                conn = coro()
                conn.close()
                one = await coro()
                one.close()
                two = await made()
                two.close()
                three = await sync()
                three.close()
            """,
    })  # fmt: skip
    assert {edge for edge in project.edges() if " close " in edge and "external" not in edge} == {
        "main.py:22 close -> main.py:Conn.close typed",
        "main.py:24 close -> main.py:Conn.close typed",
        "main.py:26 close -> main.py:Conn.close typed",
    }


def test_what_is_given_again() -> None:
    """A name is what it was given last; a member is of a type if all that it is given is."""
    project = Project({
        "main.py": """\
            class Conn:
                def close(self): ...


            class Holder:
                told: Conn

                def __init__(self, conn: Conn, other):
                    self.f = Conn()
                    self.kept = Conn()
                    self.listed = Conn()
                    self.either = Conn()
                    self.said: Conn = other
                    self.pair, self.rest = Conn(), other

                def reset(self, conn: Conn):
                    self.f = open("x")
                    self.kept = None
                    self.kept = conn
                    self.listed = []
                    self.either = Holder()
                    self.said = open("x")

                def use(self):
                    self.f.close()
                    self.kept.close()
                    self.listed.close()
                    self.either.close()
                    self.said.close()
                    self.told.close()
                    self.pair.close()


            def run(x, pairs):
                s = Conn()
                s.close()
                for s in [open(x)]:
                    s.close()
                t = Conn()
                for t, _ in pairs:
                    t.close()
                u = Conn()
                u = None
                u.close()
                u = u.close() or 1
                u.close()
                v = Conn()
                match x:
                    case [v]:
                        v.close()
                w, y = Conn()
                w.close()
                z = Conn()
                if (z := pairs[0]):
                    z.close()
                a: Conn = x
                a = pairs[0]
                a.close()
            """,
    })  # fmt: skip
    assert {edge for edge in project.edges() if " close " in edge and "external" not in edge} == {
        "main.py:26 close -> main.py:Conn.close typed",
        "main.py:29 close -> main.py:Conn.close typed",
        "main.py:30 close -> main.py:Conn.close typed",
        "main.py:36 close -> main.py:Conn.close typed",
        "main.py:44 close -> main.py:Conn.close typed",
        "main.py:45 close -> main.py:Conn.close typed",
        "main.py:58 close -> main.py:Conn.close typed",
    }


def test_the_object_in_methods_under_a_condition() -> None:
    project = Project({
        "a.py": """\
            class Gate:
                if CAN_LOCK:
                    def shut(self):
                        self.lock()

                try:
                    @cached
                    def lock(self: "Gate"):
                        def apart(other):
                            other.lock()
                        return self.shut
                finally:
                    pass


            def outside(gate):
                gate.shut()


            class Apart:
                @staticmethod
                def one(base: "dict"):
                    base.lock()

                @classmethod
                def two(cls: "type[Apart]"):
                    cls().lock()

                def lock(self): pass
            """,
    })  # fmt: skip
    assert {edge for edge in project.edges() if "lock ->" in edge or "shut ->" in edge} == {
        "a.py:4 lock -> a.py:Gate.lock proven",
        "a.py:11 shut -> a.py:Gate.shut proven",
        "a.py:27 lock -> a.py:Apart.lock typed",
    }
