import { describe, expect, test } from "vitest";
import { marketplaceColours } from "#catalogue/colours.ts";
import { leafIds } from "#catalogue/categories.ts";
import { kindOf, SHAPES } from "../world/kinds.ts";
import { readTemplate } from "./drawing.ts";
import { drawAvatar, drawPhoto } from "./photo.ts";

/** Lists unbalanced tags and invalid attribute values. */
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

test("every shape has a template, whose variants are complete drawings", () => {
  for (const shape of SHAPES)
    for (const { pieces, details, placings } of readTemplate(shape)) {
      expect(pieces.length, shape).toBeGreaterThan(0);
      expect(placings.length, shape).toBeGreaterThan(0);
      for (const { path } of [...pieces, ...details]) expect(path, shape).toMatch(/^M[-\d. a-zA-Z]+$/);
    }
});
