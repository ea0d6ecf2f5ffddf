import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ByteReader, ByteWriter } from "./bytes.ts";

const written = (write: (writer: ByteWriter) => void): Uint8Array => {
  const writer = new ByteWriter();
  write(writer);
  return writer.taken();
};

test("every safe integer is read as it was written", () => {
  fc.assert(
    fc.property(fc.array(fc.maxSafeInteger()), (values) => {
      const reader = new ByteReader(written((writer) => values.forEach((value) => writer.signed(value))));
      expect(values.map(() => reader.signed())).toEqual(values);
    }),
    {
      examples: [
        [[Number.MAX_SAFE_INTEGER, 1, -Number.MAX_SAFE_INTEGER, 2 ** 52, 2 ** 52 + 1, -(2 ** 52) - 1, 0]],
      ],
    },
  );
});

test("a signed number is its zigzag number", () => {
  fc.assert(
    fc.property(fc.integer({ min: -(2 ** 52), max: 2 ** 52 - 1 }), (value) => {
      const zigzag = value < 0 ? -value * 2 - 1 : value * 2;
      expect(written((writer) => writer.signed(value))).toEqual(written((writer) => writer.whole(zigzag)));
    }),
    { examples: [[0], [-1], [63], [64], [-64], [-65], [2 ** 52 - 1], [-(2 ** 52)]] },
  );
});
