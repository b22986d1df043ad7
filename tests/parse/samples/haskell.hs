{-# LANGUAGE OverloadedStrings #-}
-- | The shop, “naïve” 漢字.
module Data.Shop
  ( Product(..)
  , total
  ) where

import Data.List (sortBy, nub)
import qualified Data.Map.Strict as Map
import Control.Monad hiding (forM)
import Prelude

-- | A product.
data Product = Product
  { productId :: Int
  , label :: Text
  } deriving (Show, Eq)

data Color
  = Red
  | Green Int
  | Int :+: Int

newtype Wrapper a = Wrapper { unwrap :: a }

type Handler = Product -> IO ()

-- | Things with a price.
class Priced a where
  price :: a -> Int
  price _ = 0
  discount :: a -> Int

instance Priced Product where
  price p = productId p
  discount = const 1

-- | The total of all.
total :: [Product] -> Int
total [] = 0
total (p:ps) = price p + total ps

limit :: Int
limit = 10

(<+>) :: Int -> Int -> Int
a <+> b = add a b
  where
    add x y = x + y

describe :: Product -> String
describe p
  | price p > limit = "é"
  | otherwise = let s = show p in s ++ concatMap show [1, 2]

type family Elem c
data Expr a where
  Lit :: Int -> Expr Int
  Add :: Expr Int -> Expr Int -> Expr Int

main :: IO ()
main = do
  result <- pure (total [])
  mapM_ print (Map.toList Map.empty)
