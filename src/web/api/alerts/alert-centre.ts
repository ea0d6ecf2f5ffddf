/** Queries of alert destinations and sent alerts, kept off the first load because of their schemas. */
import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { centreAlertes, envoi, reglagesAlertes } from "#contract/alerte.ts";
import { as, membersOf, or, readAs, readList } from "../answers.ts";
import { call } from "../client.ts";

const nothingOffered = { push: { cle: "" }, telegram: null, courriel: false };
/** Without a member the others are shown; unreadable settings are null, so that none is saved over them. */
const readable = z.extend(centreAlertes, {
  offerts: or(centreAlertes.shape.offerts, nothingOffered),
  reglages: or(z.nullable(reglagesAlertes), null),
  boite: or(centreAlertes.shape.boite, null),
});
export type AlertCentre = z.infer<typeof readable>;

const channel = as(centreAlertes.shape.canaux.def.element);

export const alertCentre = queryOptions({
  queryKey: ["alert-centre"],
  queryFn: async ({ signal }) => readCentre((await call("alertCentre", { signal })).body),
});

export function readCentre(body: unknown): AlertCentre {
  const sent = membersOf(membersOf(body)["alertes"]);
  const rest = readAs(readable, { ...sent, canaux: [] });
  return { ...rest, canaux: readList("channels", sent["canaux"], channel) };
}

export const alertJournal = queryOptions({
  queryKey: ["alert-journal"],
  queryFn: async ({ signal }) => {
    const { body } = await call("alertJournal", { signal });
    return readList("alerts", membersOf(body)["envois"], as(envoi));
  },
  refetchInterval: 15_000,
});
