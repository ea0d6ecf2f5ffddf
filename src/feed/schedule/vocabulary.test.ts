import { expect, test } from "vitest";
import { Vocabulary } from "./vocabulary.ts";

const evenly = (): number => 1;

test("the place that shares most words with the title is the most likely", () => {
  const vocabulary = new Vocabulary();
  for (let count = 0; count < 20; count += 1) {
    vocabulary.learn("dresses", ["robe", "longue", "zara"]);
    vocabulary.learn("shirts", ["chemise", "longue", "zara"]);
  }
  const [best, second] = vocabulary.guess(["robe", "zara", "neuve"], evenly);
  expect([best?.place, second?.place]).toEqual(["dresses", "shirts"]);
  expect(best?.probability).toBeGreaterThan(0.7);
  expect(vocabulary.guess(["inconnu"], evenly)).toEqual([]);
});

test("of places with the same words the busier one is likelier; excluded places are not returned", () => {
  const vocabulary = new Vocabulary();
  for (const place of ["rare", "busy", "other"]) vocabulary.learn(place, ["robe"]);
  const guesses = vocabulary.guess(["robe"], (place) =>
    place === "other" ? null : place === "busy" ? 9 : 1,
  );
  expect(guesses.map(({ place }) => place)).toEqual(["busy", "rare"]);
});

test("a removed leaf is no longer suggested", () => {
  const vocabulary = new Vocabulary();
  vocabulary.learn("dresses", ["robe"]);
  vocabulary.forget("dresses");
  expect(vocabulary.guess(["robe"], evenly)).toEqual([]);
  expect([...vocabulary.knownPlaces()]).toEqual([]);
});
