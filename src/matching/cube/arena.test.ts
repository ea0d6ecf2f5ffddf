import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Arena, classFor, classWords } from "./arena.ts";

test("a class is the smallest that holds the words, and at most a quarter larger", () => {
  for (let wordCount = 1; wordCount < 5_000; wordCount += 1) {
    const classIndex = classFor(wordCount);
    expect(classWords(classIndex)).toBeGreaterThanOrEqual(wordCount);
    if (classIndex > 0) expect(classWords(classIndex - 1)).toBeLessThan(wordCount);
    if (wordCount > 4) expect(classWords(classIndex)).toBeLessThanOrEqual(wordCount * 1.25);
  }
});

test("allocated blocks never overlap and keep their content, whatever is freed", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("take" as const), wordCount: fc.integer({ min: 1, max: 700 }) }),
    fc.record({ kind: fc.constant("give" as const), wordCount: fc.nat() }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const arena = new Arena();
      const blocks: { offset: number; classIndex: number; stamp: number }[] = [];
      for (const [stamp, { kind, wordCount }] of steps.entries()) {
        if (kind === "take") {
          const classIndex = classFor(wordCount);
          const offset = arena.allocate(classIndex);
          arena.words.fill(stamp, offset, offset + classWords(classIndex));
          blocks.push({ offset, classIndex, stamp });
        } else if (blocks.length > 0) {
          const [block] = blocks.splice(wordCount % blocks.length, 1);
          if (block !== undefined) arena.free(block.offset, block.classIndex);
        }
      }
      for (const { offset, classIndex, stamp } of blocks) {
        const words = arena.words.subarray(offset, offset + classWords(classIndex));
        expect(words.every((word) => word === stamp)).toBe(true);
      }
      const inUse = blocks.reduce((sum, { classIndex }) => sum + classWords(classIndex), 0);
      expect(arena.usedWords).toBe(inUse + 4);
    }),
    { numRuns: 150 },
  );
});
