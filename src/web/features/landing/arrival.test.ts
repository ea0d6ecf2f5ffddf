import { expect, test, vi } from "vitest";
import { createArrivalQuestion, isLoadOfLanding } from "./landing-page.tsx";

test("only a document loaded at / counts as an arrival", () => {
  expect(isLoadOfLanding("https://synapse.example/")).toBe(true);
  expect(isLoadOfLanding("https://synapse.example/?utm=x#prix")).toBe(true);
  expect(isLoadOfLanding("https://synapse.example/synapse/articles")).toBe(false);
  expect(isLoadOfLanding("https://synapse.example/conditions")).toBe(false);
});

test("a browser that names no address still gets the question", () => {
  expect(isLoadOfLanding("document")).toBe(true);
});

test("a subscriber is asked once per load, whatever the answer", () => {
  const confirm = vi.fn(() => false);
  const question = createArrivalQuestion(true, confirm);
  expect(question.settle(1)).toBe(false);
  expect(question.settle(1)).toBe(false);
  expect(confirm).toHaveBeenCalledTimes(1);
});

test("accepting leads to the panel", () => {
  expect(createArrivalQuestion(true, () => true).settle(2)).toBe(true);
});

test("who arrived without a level is not asked when one comes later", () => {
  const confirm = vi.fn(() => true);
  const question = createArrivalQuestion(true, confirm);
  expect(question.settle(0)).toBe(false);
  expect(question.settle(1)).toBe(false);
  expect(confirm).not.toHaveBeenCalled();
});

test("a client navigation to the landing page never asks", () => {
  const confirm = vi.fn(() => true);
  expect(createArrivalQuestion(false, confirm).settle(2)).toBe(false);
  expect(confirm).not.toHaveBeenCalled();
});
