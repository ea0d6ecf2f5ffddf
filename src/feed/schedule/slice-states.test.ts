import { expect, test } from "vitest";
import { MARK_LIFETIME_MS, type ReadMark, type SliceState, SliceStates } from "./slice-states.ts";
import { type Slice, sliceOf } from "./slice.ts";

const mark: ReadMark = { sentAtMs: 1_000, receivedAtMs: 1_100, highestListingId: 50 };

function stateOf(slices: SliceStates, slice: Slice): SliceState {
  const state = [...slices.states].find((each) => each.slice.key === slice.key);
  if (state === undefined) throw new Error("the slices does not hold this slice");
  return state;
}

function readOnce(state: SliceState, at: ReadMark): void {
  state.mark = at;
  state.lastReadAtMs = at.receivedAtMs;
}

test("a slice begins where an earlier process stopped", () => {
  const slice = sliceOf([1, 2], null, "rest");
  const slices = new SliceStates();
  slices.restore(new Map([[slice.key, mark]]));
  slices.update([slice], 5_000);
  expect(stateOf(slices, slice)).toMatchObject({ mark, wantedSinceMs: 5_000, lastReadAtMs: null });
});

test("a mark that is too old is ignored", () => {
  const slice = sliceOf([1, 2], null, "rest");
  const slices = new SliceStates();
  slices.restore(new Map([[slice.key, mark]]));
  slices.update([slice], mark.sentAtMs + MARK_LIFETIME_MS + 1);
  expect(stateOf(slices, slice).mark).toBeNull();
});

test("a slice split from another one, or merged from several, inherits their progress", () => {
  const whole = sliceOf([1, 2, 3], null, "rest");
  const slices = new SliceStates();
  slices.update([whole], 0);
  readOnce(stateOf(slices, whole), mark);
  stateOf(slices, whole).arrivalsPerMs = 0.003;

  const [left, right] = [sliceOf([1], null, "rest"), sliceOf([2, 3], null, "rest")];
  slices.update([left, right], 2_000);
  expect(stateOf(slices, left)).toMatchObject({ mark, lastReadAtMs: 1_100, arrivalsPerMs: 0.001 });
  expect(stateOf(slices, right)).toMatchObject({ mark, lastReadAtMs: 1_100, arrivalsPerMs: 0.002 });

  readOnce(stateOf(slices, left), { sentAtMs: 3_000, receivedAtMs: 3_100, highestListingId: 70 });
  slices.update([whole], 4_000);
  expect(stateOf(slices, whole).mark).toEqual({ sentAtMs: 1_000, receivedAtMs: 1_100, highestListingId: 70 });
});

test("a slice with a leaf or colour that was never read inherits nothing", () => {
  const read = sliceOf([1, 2], null, "rest");
  const slices = new SliceStates();
  slices.update([read], 0);
  readOnce(stateOf(slices, read), mark);
  const wider = sliceOf([1, 2, 3], null, "rest");
  const coloured = sliceOf([1], 7, "rest");
  const market = sliceOf([], null, "rest");
  slices.update([wider, coloured, market], 2_000);
  expect([wider, coloured, market].map((slice) => stateOf(slices, slice).mark)).toEqual([null, null, null]);
});

test("a slice that stays keeps its array of leaves and takes its new rank", () => {
  const slices = new SliceStates();
  const before = sliceOf([1, 2], null, "rest");
  slices.update([before], 0);
  slices.update([sliceOf([1, 2], null, "thunder")], 1_000);
  const { slice, wantedSinceMs } = stateOf(slices, before);
  expect(slice.leafIds).toBe(before.leafIds);
  expect(slice.rank).toBe("thunder");
  expect(wantedSinceMs).toBe(0);
});
