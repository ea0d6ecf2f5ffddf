import { setTimeout } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import type { Filtre } from "#contract/filtres/filtre.ts";
import type { ParametresInput } from "#contract/parametres-input.ts";
import { aFiltre } from "#verify/testing/on-the-wire.ts";
import "./panel-answers.ts";
import { asFiltreEdit, changeFiltre, editSettings, WIDER_BUYS_TEXT, widenFiltre } from "./commands.ts";
import { createQueryClient } from "./query-client.ts";

const filtre = aFiltre({
  private: true,
  types: { ids: [1037], names: ["Manteaux et vestes"] },
  brands: { ids: [53], names: ["Nike"] },
  status: { ids: [6], names: ["Neuf avec étiquette"] },
  color: "Gray",
  paiement: 11,
  info: "cadeau",
  mots: ["vintage"],
  max_achats: 3,
  simulation: true,
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a toggle sends the whole filter, ids and names, with only its flag flipped", () => {
  expect(asFiltreEdit(filtre, { active: false })).toEqual({ ...filtre, active: false });
});

test("changes of one filter wait for each other, so that none sends the other's old values", async () => {
  let saved = { ...filtre, active: false, autobuy: true };
  const sent: Filtre[] = [];
  vi.stubGlobal("fetch", async (_address: string, { method, body }: { method: string; body: string }) => {
    const read = saved;
    await setTimeout(5);
    if (method === "GET") return Response.json({ success: true, filtres: [read] });
    saved = { ...saved, ...(JSON.parse(body) as Filtre) };
    sent.push(saved);
    return Response.json({ success: true, message: "", filtre: saved });
  });
  const client = createQueryClient();
  await Promise.all([
    changeFiltre(client, saved, { active: true }),
    changeFiltre(client, saved, { autobuy: false }),
  ]);
  expect(sent).toMatchObject([
    { active: true, autobuy: true },
    { active: true, autobuy: false },
  ]);
});

test("a filter is not widened once another device lets it buy", async () => {
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", (_address: string, { method, body }: { method: string; body: string }) => {
    if (method === "GET")
      return Promise.resolve(Response.json({ success: true, filtres: [{ ...filtre, autobuy: true }] }));
    sent.push(body);
    return Promise.resolve(Response.json({ success: true, message: "", filtre }));
  });
  const widened = widenFiltre(createQueryClient(), { ...filtre, autobuy: false }, { limit: 200 });
  await expect(widened).rejects.toThrow(WIDER_BUYS_TEXT);
  expect(sent).toEqual([]);
});

const account: ParametresInput = {
  token: "",
  paiement: 11,
  adresse: { rue: "1 rue", ville: "Lyon", code_postal: 69_001, pays: "France" },
  relais: ["Tabac"],
};
const moved = { rue: "2 rue", ville: "Lyon", code_postal: 69_001, pays: "France" } as const;
const REST = { limites: null, mandat: null, etat: "connecte", adresse_complete: true } as const;
const STOP = { limites: { arret: true } };

/** A server that reads the settings when a request arrives, and saves them when it answers. */
function settingsServer(takesMs: (method: string, count: number) => number) {
  vi.useFakeTimers();
  let saved: ParametresInput = account;
  const sent: ParametresInput[] = [];
  const counts: Record<string, number> = {};
  vi.stubGlobal("fetch", async (_address: string, { method, body }: { method: string; body: string }) => {
    const count = (counts[method] ?? 0) + 1;
    counts[method] = count;
    const read = { ...saved, ...REST };
    if (method === "POST") sent.push(JSON.parse(body) as ParametresInput);
    await new Promise((resolve) => globalThis.setTimeout(resolve, takesMs(method, count)));
    if (method === "GET") return Response.json({ success: true, vinted: read });
    saved = { ...saved, ...(JSON.parse(body) as ParametresInput) };
    return Response.json({ success: true, message: "" });
  });
  return { sent, streetNow: () => saved.adresse?.rue };
}

test("a stop sends the account beside it, as it is saved", async () => {
  const { sent } = settingsServer(() => 5);
  void editSettings(() => STOP);
  await vi.advanceTimersByTimeAsync(100);
  expect(sent).toEqual([{ ...account, ...STOP }]);
});

test("a change is made of the settings as they are saved by then", async () => {
  const { sent } = settingsServer(() => 5);
  void editSettings((saved) => ({ relais: [...(saved?.relais ?? []), "Poste"] }));
  await vi.advanceTimersByTimeAsync(100);
  expect(sent).toEqual([{ ...account, relais: ["Tabac", "Poste"] }]);
});

test("a stop pressed while an address is saved is sent at once, and does not bring the old one back", async () => {
  const { sent, streetNow } = settingsServer(() => 20);
  void editSettings(() => ({ adresse: moved }));
  void editSettings(() => STOP);
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toEqual([STOP]);
  await vi.advanceTimersByTimeAsync(100);
  expect(streetNow()).toBe("2 rue");
});

test.each([
  ["read", 2, [undefined, "2 rue"]],
  ["sent", 20, ["1 rue", "2 rue"]],
])("an address saved while the account for a stop is %s is kept", async (_when, laterMs, streets) => {
  // The stop takes longer than the save.
  const { sent, streetNow } = settingsServer((method, count) => (method === "POST" && count === 1 ? 40 : 10));
  void editSettings(() => STOP);
  await vi.advanceTimersByTimeAsync(laterMs);
  void editSettings(() => ({ adresse: moved }));
  await vi.advanceTimersByTimeAsync(200);
  expect(sent.map(({ adresse }) => adresse?.rue)).toEqual(streets);
  expect(streetNow()).toBe("2 rue");
});

test("a stop whose settings cannot be read again is sent alone after a second", async () => {
  vi.useFakeTimers();
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", async (_address: string, { method, body }: { method: string; body: string }) => {
    if (method === "GET") return await new Promise(() => undefined);
    sent.push(JSON.parse(body));
    return Response.json({ success: true, message: "" });
  });
  const stop = editSettings(() => STOP);
  await vi.advanceTimersByTimeAsync(900);
  expect(sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(200);
  expect(sent).toEqual([STOP]);
  await stop;
});
