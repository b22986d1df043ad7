"""Haskell: every edge of small projects, and those that must not be there."""

from __future__ import annotations

from tests.graph.project import Project


def inside(project: Project, path: str | None = None) -> set[str]:
    return {edge for edge in project.edges(path) if " -> external:" not in edge}


SHOP = {
    "src/Shop/Types.hs": """\
        module Shop.Types
          ( Cart(..)
          , Item(Item, label)
          , Store(..)
          , total
          , (<+>)
          ) where

        data Cart = Cart { items :: [Item], owner :: String } | Empty
        data Item = Item { label :: String, price :: Int }

        class Store s where
          type Key s
          load, save :: s -> Key s
          save = load

        total :: Cart -> Int
        total (Cart xs _) = sum (map price xs)
        total Empty = hidden 0

        hidden :: Int -> Int
        hidden n = n

        (<+>) :: Cart -> Cart -> Cart
        a <+> b = a { items = items a ++ items b }
        """,
    "src/Shop/All.hs": """\
        module Shop.All (module Shop.Types, module Shop.All, L.sort, price) where
        import Shop.Types
        import qualified Data.List as L
        import Other (price)
        extra = total
        """,
    "src/Other.hs": "module Other where\nprice = 1\nhidden = 2\nsecret = 3\nsort = 4\nlookup = 5\n",
}


def test_a_module_and_what_it_exports() -> None:
    types = "src/Shop/Types.hs"
    assert inside(Project(SHOP), types) == {
        f"{types}:2 Cart -> {types}:Cart proven",
        f"{types}:3 Item -> {types}:Item proven",
        f"{types}:3 Item -> {types}:Item.Item proven",
        f"{types}:3 label -> {types}:Item.label proven",
        f"{types}:4 Store -> {types}:Store proven",
        f"{types}:5 total -> {types}:total proven",
        f"{types}:6 <+> -> {types}:<+> proven",
        f"{types}:9 Item -> {types}:Item proven",
        f"{types}:14 Key -> {types}:Store.Key proven",
        f"{types}:15 load -> {types}:Store.load proven",
        f"{types}:17 Cart -> {types}:Cart proven",
        f"{types}:18 Cart -> {types}:Cart.Cart proven",
        f"{types}:18 price -> {types}:Item.price proven",
        f"{types}:19 Empty -> {types}:Cart.Empty proven",
        f"{types}:19 hidden -> {types}:hidden proven",
        f"{types}:24 Cart -> {types}:Cart proven",
        f"{types}:25 items -> {types}:Cart.items proven",
    }


def test_imports_and_what_they_leave_out() -> None:
    project = Project(SHOP | {
        "app/Main.hs": """\
            module Main where
            import Prelude hiding (lookup)
            import Shop.Types (Cart(Empty), Item(..), total)
            import qualified Shop.Types as T (items, owner)
            import qualified Shop.All as A
            import Other hiding (secret, price)
            import Data.Map (insert)
            import qualified Data.Map as M
            import Data.Set

            main = do
              total Empty
              T.items T.total
              Item label price
              A.total A.extra A.sort A.price A.hidden
              hidden secret lookup
              insert M.lookup M.price
              Cart owner <+> member
              Shop.Types.total

            f :: Cart -> T.Cart -> M.Map Item
            f = id
            """,
    })  # fmt: skip
    main, types, other, every = "app/Main.hs", "src/Shop/Types.hs", "src/Other.hs", "src/Shop/All.hs"
    assert project.edges(main) == {
        f"{main}:2 Prelude -> external:Prelude proven",
        f"{main}:2 lookup -> external:Prelude.lookup proven",
        f"{main}:3 Shop.Types -> {types}: proven",
        f"{main}:3 Cart -> {types}:Cart proven",
        f"{main}:3 Empty -> {types}:Cart.Empty proven",
        f"{main}:3 Item -> {types}:Item proven",
        f"{main}:3 total -> {types}:total proven",
        f"{main}:4 Shop.Types -> {types}: proven",
        f"{main}:4 items -> {types}:Cart.items proven",
        f"{main}:4 owner -> {types}:Cart.owner proven",
        f"{main}:5 Shop.All -> {every}: proven",
        f"{main}:6 Other -> {other}: proven",
        f"{main}:6 secret -> {other}:secret proven",
        f"{main}:6 price -> {other}:price proven",
        f"{main}:7 Data.Map -> external:Data.Map proven",
        f"{main}:7 insert -> external:Data.Map.insert proven",
        f"{main}:8 Data.Map -> external:Data.Map proven",
        f"{main}:9 Data.Set -> external:Data.Set proven",
        f"{main}:12 total -> {types}:total proven",
        f"{main}:12 Empty -> {types}:Cart.Empty proven",
        f"{main}:13 items -> {types}:Cart.items proven",  # T.total is not in the list
        f"{main}:14 Item -> {types}:Item.Item proven",
        f"{main}:14 label -> {types}:Item.label proven",  # the field `price` is not exported, the other is hidden
        f"{main}:15 total -> {types}:total proven",
        f"{main}:15 extra -> {every}:extra proven",
        f"{main}:15 sort -> external:Data.List.sort proven",
        f"{main}:15 price -> {other}:price proven",
        f"{main}:16 hidden -> {other}:hidden proven",
        f"{main}:16 lookup -> {other}:lookup proven",
        f"{main}:17 insert -> external:Data.Map.insert proven",
        f"{main}:17 lookup -> external:Data.Map.lookup proven",
        f"{main}:17 price -> external:Data.Map.price proven",
        f"{main}:19 total -> {types}:total proven",
        f"{main}:21 Cart -> {types}:Cart proven",
        f"{main}:21 Map -> external:Data.Map.Map proven",
        f"{main}:21 Item -> {types}:Item proven",
    }
    assert project.edges(every) == {
        f"{every}:1 Shop.Types -> {types}: proven",
        f"{every}:1 sort -> external:Data.List.sort proven",
        f"{every}:1 price -> {other}:price proven",
        f"{every}:2 Shop.Types -> {types}: proven",
        f"{every}:3 Data.List -> external:Data.List proven",
        f"{every}:4 Other -> {other}: proven",
        f"{every}:4 price -> {other}:price proven",
        f"{every}:5 total -> {types}:total proven",
    }


def test_patterns_shadow() -> None:
    project = Project({
        "A.hs": """\
            module A where
            a = 1
            b = 2
            c = 3
            f a = a + b
            g (Just [a, (b, _)]) x@(c : _) !d ~(e, a') = a + b + c + a'
            h x | Just a <- x a, let { b = a } = a + b
                | otherwise = a + b
            i = \\a (b, c) -> a + b
            j x = case x of
              Just a | a > b -> a
              (a, Left b) -> b where { c = a }
              _ -> a + b
            k = do
              b <- a b
              let c = b
                  a y = c
              (a, b) <- c
              a b c
            l = [a | a <- b, let b = a] ++ [a]
            m = let (a, b) = c; c = a in b
            n = b where b = a
                        g a = c
            o (b -> a) = a
            p = \\case { a -> a; b -> b c }
            (a `q` b) c = a b c
            (r, s) = a where a = r
            t = r + q a b
            u = do { z <- b; pure (\\b -> b) ; b }
            v = proc a -> do { b <- c -< a; returnA -< b }
            w = do { rec { b <- a c; c <- b }; c }
            w' :: forall a. a -> b
            w' = if | a <- c, b <- a -> b | otherwise -> b
            """,
    })  # fmt: skip
    assert inside(project) == {
        "A.hs:5 b -> A.hs:b proven",
        "A.hs:7 a -> A.hs:a proven",
        "A.hs:8 a -> A.hs:a proven",
        "A.hs:8 b -> A.hs:b proven",
        "A.hs:11 b -> A.hs:b proven",
        "A.hs:13 a -> A.hs:a proven",
        "A.hs:13 b -> A.hs:b proven",
        "A.hs:15 a -> A.hs:a proven",
        "A.hs:15 b -> A.hs:b proven",
        "A.hs:20 a -> A.hs:a proven",
        "A.hs:22 a -> A.hs:a proven",
        "A.hs:23 c -> A.hs:c proven",
        "A.hs:24 b -> A.hs:b proven",
        "A.hs:25 c -> A.hs:c proven",
        "A.hs:28 q -> A.hs:q proven",
        "A.hs:28 a -> A.hs:a proven",
        "A.hs:28 b -> A.hs:b proven",
        "A.hs:29 b -> A.hs:b proven",  # of line 30 not all can be read
        "A.hs:31 a -> A.hs:a proven",
        "A.hs:33 b -> A.hs:b proven",
        "A.hs:33 c -> A.hs:c proven",
    }


def test_records() -> None:
    project = Project({
        "A.hs": """\
            module A where
            import qualified B
            data R = R { x, y :: Int } | S { x :: Int }
            data T = T { z :: Int }
            z' = 1
            w = 1
            v = 2
            pun R{x, y = z} = x + z
            all' R{..} T{z = a} = x + y + z' + w
            outer B.R{..} = w + v
            library L.R{..} = w + z'
            change r x = r { x = x, w = 1, B.w = 2 }
            make x = R { x = x, y = z (T 1) } `seq` B.R { w = x }
            dot r = r.x + v
            """,
        "B.hs": "module B where\ndata R = R { w :: Int }\nv = 1\n",
    })  # fmt: skip
    assert inside(project, "A.hs") == {
        "A.hs:2 B -> B.hs: proven",
        "A.hs:8 R -> A.hs:R.R proven",
        "A.hs:8 x -> A.hs:R.x proven",
        "A.hs:8 y -> A.hs:R.y proven",
        "A.hs:9 R -> A.hs:R.R proven",
        "A.hs:9 T -> A.hs:T.T proven",
        "A.hs:9 z -> A.hs:T.z proven",
        "A.hs:9 x -> A.hs:R.x proven",
        "A.hs:9 y -> A.hs:R.y proven",
        "A.hs:9 z' -> A.hs:z' proven",
        "A.hs:9 w -> A.hs:w proven",
        "A.hs:10 R -> B.hs:R.R proven",
        "A.hs:10 w -> B.hs:R.w proven",
        "A.hs:10 v -> A.hs:v proven",
        "A.hs:12 x -> A.hs:R.x proven",
        "A.hs:12 w -> B.hs:R.w proven",
        "A.hs:13 R -> A.hs:R.R proven",
        "A.hs:13 R -> B.hs:R.R proven",
        "A.hs:13 x -> A.hs:R.x proven",
        "A.hs:13 y -> A.hs:R.y proven",
        "A.hs:13 z -> A.hs:T.z proven",
        "A.hs:13 T -> A.hs:T.T proven",
        "A.hs:13 w -> B.hs:R.w proven",
        "A.hs:14 v -> A.hs:v proven",
    }


def test_types_values_classes_and_instances_are_apart() -> None:
    project = Project({
        "A.hs": """\
            module A where
            import C
            data Box a = Box (Box a)
            data Only = Other
            m = 1
            class Monoid' m where
              empty' :: m -> Only
              join :: m -> m
              join = id
            instance Monoid' (Box m) where
              empty' (Box b) = size b
                where size = local
                      local = empty'
              join x = m
            instance Sized Only where
              size _ = join 1
            size' :: m -> Box m -> Only
            size' x = (Only :: Other)
            local = 1
            pattern P x = Box x
            usesP (P y) = P y
            type Name m = Box m
            data a :* b = a :* b
            f :: a :* Only -> m
            f (a :* m) = f (m :* a)
            """,
        "C.hs": "module C (Sized(size)) where\nclass Sized a where\n  size :: a -> Int\n  weight :: a\n",
    })  # fmt: skip
    assert inside(project, "A.hs") == {
        "A.hs:2 C -> C.hs: proven",
        "A.hs:3 Box -> A.hs:Box proven",
        "A.hs:7 Only -> A.hs:Only proven",
        "A.hs:10 Box -> A.hs:Box proven",
        "A.hs:11 Box -> A.hs:Box.Box proven",
        "A.hs:13 empty' -> A.hs:Monoid'.empty' proven",
        "A.hs:14 m -> A.hs:m proven",
        "A.hs:15 Only -> A.hs:Only proven",
        "A.hs:16 join -> A.hs:Monoid'.join proven",
        "A.hs:17 Box -> A.hs:Box proven",
        "A.hs:17 Only -> A.hs:Only proven",
        "A.hs:20 Box -> A.hs:Box.Box proven",
        "A.hs:21 P -> A.hs:P proven",
        "A.hs:22 Box -> A.hs:Box proven",
        "A.hs:24 :* -> A.hs::* proven",
        "A.hs:24 Only -> A.hs:Only proven",
        "A.hs:25 :* -> A.hs::*.:* proven",
        "A.hs:25 f -> A.hs:f proven",
    }


def test_modules_of_one_name_and_of_other_packages() -> None:
    project = Project({
        "one/src/Lib.hs": "module Lib where\nrun = 1\n",
        "two/src/Lib.hs": "module Lib where\nrun = 2\nwalk = 3\n",
        "one/test/Spec.hs": 'module Main where\nimport Lib\nimport "base" Only\nx = run walk only\n',
        "Setup.hs": "import Lib\nimport qualified Lib as L\nx = run L.run\n",
        "one/src/Only.hs": "module Only where\nonly = 1\n",
    })  # fmt: skip
    assert project.edges() == {
        "one/test/Spec.hs:2 Lib -> one/src/Lib.hs: proven",
        "one/test/Spec.hs:3 Only -> external:Only proven",
        "one/test/Spec.hs:4 run -> one/src/Lib.hs:run proven",
    }


def test_names_handed_on() -> None:
    project = Project({
        "A.hs": "module A (module B, T(..), module X) where\nimport B\nimport C (T(..))\n"
        "import D as X hiding (D(..))\n",
        "B.hs": "module B (b, module A) where\nimport A\nb = 1\nunseen = 2\n",  # a circle
        "C.hs": "module C (T(.., More), f) where\ndata T = One | Two { f :: Int }\nf' = 1\npattern More = One\n",
        "D.hs": "module D where\ndata D = D { d :: Int }\ne = 1\n",
        "Z.hs": "module Z where\nimport A\nz :: T -> D\nz = b One Two f d e unseen f' D More\n",
    })  # fmt: skip
    assert inside(project, "Z.hs") == {
        "Z.hs:2 A -> A.hs: proven",
        "Z.hs:3 T -> C.hs:T proven",
        "Z.hs:4 b -> B.hs:b proven",
        "Z.hs:4 One -> C.hs:T.One proven",
        "Z.hs:4 Two -> C.hs:T.Two proven",
        "Z.hs:4 f -> C.hs:T.f proven",
        "Z.hs:4 e -> D.hs:e proven",
    }


def test_signatures_and_equations_apart() -> None:
    project = Project({
        "A.hs": """\
            module A where
            f, g :: Int -> Int
            h :: Int
            f 0 = 1
            f n = g (f n)
            g x = h
            h = go 1 where
              go :: Int -> Int
              go 0 = 0
              go n = go (f n) . id.g $ n
            x ^. y = y ^. x
            infixl 5 ^.
            """,
        "B.hs": "module B where\nimport qualified A as Q\nimport A ((^.))\ny = 1 Q.^. Q.h ^. (Q.f . Q.g)\n",
    })  # fmt: skip
    assert inside(project) == {
        "A.hs:2 f -> A.hs:f proven",
        "A.hs:2 g -> A.hs:g proven",
        "A.hs:5 f -> A.hs:f proven",
        "A.hs:5 g -> A.hs:g proven",
        "A.hs:6 h -> A.hs:h proven",
        "A.hs:7 go -> A.hs:h.go proven",
        "A.hs:10 go -> A.hs:h.go proven",
        "A.hs:10 f -> A.hs:f proven",
        "A.hs:11 ^. -> A.hs:^. proven",
        "A.hs:12 ^. -> A.hs:^. proven",
        "B.hs:2 A -> A.hs: proven",
        "B.hs:3 A -> A.hs: proven",
        "B.hs:3 ^. -> A.hs:^. proven",
        "B.hs:4 ^. -> A.hs:^. proven",
        "B.hs:4 h -> A.hs:h proven",
        "B.hs:4 f -> A.hs:f proven",
        "B.hs:4 g -> A.hs:g proven",
    }


def test_copies_and_fields_of_two_types() -> None:
    project = Project({
        "A.hs": """\
            {-# LANGUAGE CPP #-}
            module A where
            #ifdef MAPS
            newtype M = M { unM :: Int }
            size m = unM m
            one = M 1
            #endif
            #ifndef MAPS
            newtype M = M { unM :: Bool }
            size x = unM x
            two :: M
            #endif
            both = size
            data P = P { name :: Int, id' :: Int }
            data Q = Q { name :: Int }
            f p q = name p + id' q + g Q { name = 1 }
            """,
        "B.hs": "module B where\nimport A (M(..), size, P(..), name)\nx = unM M size name\n",
    })  # fmt: skip
    assert inside(project, "B.hs") == {
        "B.hs:2 A -> A.hs: proven",
        "B.hs:2 M -> A.hs:M proven",
        "B.hs:2 size -> A.hs:size proven",
        "B.hs:2 P -> A.hs:P proven",
        "B.hs:3 unM -> A.hs:M.unM proven",
        "B.hs:3 M -> A.hs:M.M proven",
        "B.hs:3 size -> A.hs:size proven",
    }
    assert inside(project, "A.hs") == {
        "A.hs:6 M -> A.hs:M.M proven",
        "A.hs:11 M -> A.hs:M proven",
        "A.hs:13 size -> A.hs:size proven",
        "A.hs:16 Q -> A.hs:Q.Q proven",
        "A.hs:16 name -> A.hs:Q.name proven",
        "A.hs:16 id' -> A.hs:P.id' proven",
    }
