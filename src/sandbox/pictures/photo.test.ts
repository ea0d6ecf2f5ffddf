import { describe, expect, test } from "vitest";
import { marketplaceColours } from "#catalogue/colours.ts";
import { leafIds } from "#catalogue/categories.ts";
import { kindOf, SHAPES } from "../world/kinds.ts";
import { bothSides, moved, symmetric } from "./drawing.ts";
import { drawAvatar } from "./avatar.ts";
import { drawPhoto } from "./photo.ts";

/** Unbalanced tags and invalid attribute values. */
function flawsOf(svg: string): readonly string[] {
  const open: string[] = [];
  const flaws: string[] = [];
  for (const [tag, closing, name = "", , selfClosing] of svg.matchAll(
    /<(\/?)([a-zA-Z]+)((?:\s[\w:-]+="[^"<>]*")*)\s*(\/?)>/g,
  )) {
    if (closing === "/") {
      if (open.pop() !== name) flaws.push(`${tag} closes nothing`);
    } else if (selfClosing !== "/") open.push(name);
  }
  const rest = svg.replaceAll(/<\/?[a-zA-Z]+(?:\s[\w:-]+="[^"<>]*")*\s*\/?>/g, "");
  if (rest !== "") flaws.push(`stray text ${rest.slice(0, 40)}`);
  if (/NaN|undefined|null|Infinity/.test(svg)) flaws.push("a value that is none");
  return [...flaws, ...open.map((name) => `${name} stays open`)];
}

const leafOf = (shape: string): number => leafIds.find((id) => kindOf(id).shape === shape) ?? 0;

describe("a photo", () => {
  test("of every shape, in many variants, is well-formed SVG", () => {
    for (const shape of SHAPES) {
      for (let seed = 1; seed <= 24; seed += 1) {
        const colourIds = [marketplaceColours[seed % marketplaceColours.length]?.id ?? 1, 12];
        expect(flawsOf(drawPhoto({ seed, leafId: leafOf(shape), colourIds })), `${shape} ${seed}`).toEqual(
          [],
        );
      }
    }
  });

  test("is determined by its seed", () => {
    const subject = { seed: 42, leafId: leafOf("dress"), colourIds: [7] };
    expect(drawPhoto(subject)).toBe(drawPhoto(subject));
    expect(drawPhoto({ ...subject, seed: 43 })).not.toBe(drawPhoto(subject));
  });

  test("has the colour of the listing", () => {
    const red = drawPhoto({ seed: 4, leafId: leafOf("tshirt"), colourIds: [7] });
    const navy = drawPhoto({ seed: 4, leafId: leafOf("tshirt"), colourIds: [27] });
    expect(red).toContain("#bb332c");
    expect(navy).toContain("#2c3658");
    expect(navy).not.toContain("#bb332c");
  });

  test("is drawn for unknown ids as well", () => {
    expect(flawsOf(drawPhoto({ seed: 0, leafId: 999_999, colourIds: [999] }))).toEqual([]);
    expect(flawsOf(drawPhoto({ seed: 4_294_967_295, leafId: 221, colourIds: [] }))).toEqual([]);
  });

  test("is smaller than 40 kB", () => {
    const sizes = SHAPES.map((shape) => drawPhoto({ seed: 3, leafId: leafOf(shape), colourIds: [1] }).length);
    expect(Math.max(...sizes)).toBeLessThan(40_000);
  });
});

test("photos are cheap to paint: no filters and fewer than 200 elements", () => {
  for (const shape of SHAPES)
    for (let seed = 0; seed < 24; seed += 1) {
      const svg = drawPhoto({ seed, leafId: leafOf(shape), colourIds: [7] });
      expect(svg).not.toMatch(/filter|mask|mix-blend/u);
      expect(svg.match(/<(?:path|use|ellipse|circle)/gu)?.length ?? 0).toBeLessThan(200);
    }
});

test("avatars are well-formed SVG and differ", () => {
  const drawn = Array.from({ length: 200 }, (_unused, seed) => drawAvatar(seed));
  for (const svg of drawn) expect(flawsOf(svg)).toEqual([]);
  expect(new Set(drawn).size).toBeGreaterThan(150);
});

describe("paths", () => {
  test("a symmetric outline is its right half and its mirror image", () => {
    expect(symmetric("10 0, 20 50, 5 60 5 80 0 90")).toBe(
      "M310 0L320 50C305 60 305 80 300 90L300 90C295 80 295 60 280 50L290 0Z",
    );
    expect(symmetric("10 0, 0 90", 30)).toBe("M310 0L300 90L300 90L290 0Q300 30 310 0Z");
  });

  test("both sides are mirror images of one another", () => {
    expect(bothSides("10 0, 20 50")).toBe("M310 0L320 50ZM290 0L280 50Z");
    expect(bothSides("10 0, 20 50", false)).toBe("M310 0L320 50M290 0L280 50");
  });

  test("moving a path changes only its absolute commands", () => {
    expect(moved("M0 0H10V20l3 4Q1 2 3 4Z", 100, 200)).toBe("M100 200H110V220l3 4Q101 202 103 204Z");
  });
});
