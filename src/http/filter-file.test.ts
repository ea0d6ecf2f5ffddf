import { expect, test } from "vitest";
import { openCriteria } from "#domain/market/filter.ts";
import { asFilterId } from "#domain/ids.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { fileOf, readFile } from "./filter-file.ts";

const COUNT = 200;

test("a file of one tag is read in a number of steps that grows with its length, not with its square", async () => {
  let readCount = 0;
  const own = Array.from({ length: COUNT }, (_, index) =>
    Object.defineProperty(
      aFilter({ ...openCriteria, id: asFilterId(`f${index}`), tag: "Robe", priceCapEur: index + 1 }),
      "includeWords",
      {
        enumerable: true,
        get: () => {
          readCount += 1;
          return [];
        },
      },
    ),
  );
  const filtres = own.map((_, index) => ({ tag: "Robe", limit: COUNT + 1 + index }));
  const { format, version } = fileOf([], []);
  const entries = await readFile({ format, version, filtres, groupes: [] }, own);
  expect(entries.map(({ replaces }) => replaces?.known.id)).toEqual(own.map(({ id }) => id));
  expect(entries.every(({ shown }) => shown.differences.join() === "limit")).toBe(true);
  expect(readCount).toBeLessThan(20 * COUNT);
});
