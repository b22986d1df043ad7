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
