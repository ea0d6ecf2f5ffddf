/** Queries of alert destinations and sent alerts, kept off the first load because of their schemas. */
import { queryOptions } from "@tanstack/react-query";
import { centreAlertes, envoi, type CentreAlertes } from "#contract/alerte.ts";
import { as, membersOf, readAs, readList } from "../answers.ts";
import { call } from "../client.ts";

const channel = as(centreAlertes.shape.canaux.def.element);

export const alertCentre = queryOptions({
  queryKey: ["alert-centre"],
  queryFn: async ({ signal }) => readCentre((await call("alertCentre", { signal })).body),
});

export function readCentre(body: unknown): CentreAlertes {
  const sent = membersOf(membersOf(body)["alertes"]);
  const rest = readAs(centreAlertes, { ...sent, canaux: [] });
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
