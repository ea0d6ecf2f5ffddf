import { expect, test } from "vitest";
import { sliceOf, type Slice } from "./slice.ts";
import { MARK_LIFETIME_MS, SliceStates, type ReadMark, type SliceState } from "./slice-states.ts";

const mark: ReadMark = { sentAtMs: 1_000, receivedAtMs: 1_100, highestListingId: 50 };

function stateOf(book: SliceStates, slice: Slice): SliceState {
  const state = [...book.states].find((each) => each.slice.key === slice.key);
  if (state === undefined) throw new Error("the book does not hold this slice");
  return state;
}

function readOnce(state: SliceState, at: ReadMark): void {
  state.mark = at;
  state.lastReadAtMs = at.receivedAtMs;
}

test("a slice begins where an earlier process stopped", () => {
  const slice = sliceOf([1, 2], null, "rest");
  const book = new SliceStates();
  book.recall(new Map([[slice.key, mark]]));
  book.follow([slice], 5_000);
  expect(stateOf(book, slice)).toMatchObject({ mark, wantedSinceMs: 5_000, lastReadAtMs: null });
});

test("a mark that is too old says nothing", () => {
  const slice = sliceOf([1, 2], null, "rest");
  const book = new SliceStates();
  book.recall(new Map([[slice.key, mark]]));
  book.follow([slice], mark.sentAtMs + MARK_LIFETIME_MS + 1);
  expect(stateOf(book, slice).mark).toBeNull();
});

test("a slice cut out of another one, or made of several, knows what they knew", () => {
  const whole = sliceOf([1, 2, 3], null, "rest");
  const book = new SliceStates();
  book.follow([whole], 0);
  readOnce(stateOf(book, whole), mark);
  stateOf(book, whole).arrivalsPerMs = 0.003;

  const [left, right] = [sliceOf([1], null, "rest"), sliceOf([2, 3], null, "rest")];
  book.follow([left, right], 2_000);
  expect(stateOf(book, left)).toMatchObject({ mark, lastReadAtMs: 1_100, arrivalsPerMs: 0.001 });
  expect(stateOf(book, right)).toMatchObject({ mark, lastReadAtMs: 1_100, arrivalsPerMs: 0.002 });

  readOnce(stateOf(book, left), { sentAtMs: 3_000, receivedAtMs: 3_100, highestListingId: 70 });
  book.follow([whole], 4_000);
  expect(stateOf(book, whole).mark).toEqual({ sentAtMs: 1_000, receivedAtMs: 1_100, highestListingId: 70 });
});

test("a slice with a leaf, or in a colour, that never was read knows nothing", () => {
  const read = sliceOf([1, 2], null, "rest");
  const book = new SliceStates();
  book.follow([read], 0);
  readOnce(stateOf(book, read), mark);
  const wider = sliceOf([1, 2, 3], null, "rest");
  const coloured = sliceOf([1], 7, "rest");
  const market = sliceOf([], null, "rest");
  book.follow([wider, coloured, market], 2_000);
  expect([wider, coloured, market].map((slice) => stateOf(book, slice).mark)).toEqual([null, null, null]);
});

test("a slice that stays keeps its array of leaves and takes its new rank", () => {
  const book = new SliceStates();
  const before = sliceOf([1, 2], null, "rest");
  book.follow([before], 0);
  book.follow([sliceOf([1, 2], null, "thunder")], 1_000);
  const { slice, wantedSinceMs } = stateOf(book, before);
  expect(slice.leafIds).toBe(before.leafIds);
  expect(slice.rank).toBe("thunder");
  expect(wantedSinceMs).toBe(0);
});
