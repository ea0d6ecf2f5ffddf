/** Queries of alert destinations and sent alerts, kept off the first load because of their schemas. */
import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { centreAlertes, envoi, type CentreAlertes } from "#contract/alerte.ts";
import { as, listOf, membersOf, readAs, readList } from "../answers.ts";
import { call } from "../client.ts";

const { canaux } = centreAlertes.shape;
const centre = z.object({
  alertes: z.extend(centreAlertes, { canaux: listOf("channels", canaux.def.element) }),
});

export const alertCentre = queryOptions({
  queryKey: ["alert-centre"],
  queryFn: async ({ signal }): Promise<CentreAlertes> =>
    readAs(centre, (await call("alertCentre", { signal })).body).alertes,
});

export const alertJournal = queryOptions({
  queryKey: ["alert-journal"],
  queryFn: async ({ signal }) => {
    const { body } = await call("alertJournal", { signal });
    return readList("alerts", membersOf(body)["envois"], as(envoi));
  },
  refetchInterval: 15_000,
});
