import { describe } from "vitest";
import { openTestStore } from "#verify/testing/test-store.ts";
import { describeStore } from "./store.suite.ts";

describe("the embedded store", () => {
  describeStore(openTestStore);
});
