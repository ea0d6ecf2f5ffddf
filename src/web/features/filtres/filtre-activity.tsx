import { useQuery } from "@tanstack/react-query";
import type { Filtre, FiltreActivite } from "#contract/filtres/filtre.ts";
import { useFiltreFlag } from "../../api/commands.ts";
import { queries } from "../../api/queries.ts";
import { formatAge, formatCount } from "../../ui/format.ts";
import { formatQuoted, plural } from "../../ui/format-panel.ts";
import { PassingButton } from "../../ui/notice.tsx";
import { useNowMs } from "../../ui/now.ts";

const REREAD_MS = 60_000;

export type Activities = ReadonlyMap<string, FiltreActivite>;

/** Recent finds and purchases per filter; "today" begins at local midnight. Undefined until it is read. */
export function useFilterActivity(): {
  readonly activities: Activities | undefined;
  readonly isPartial: boolean;
} {
  const midnight = new Date(useNowMs());
  midnight.setHours(0, 0, 0, 0);
  const { data } = useQuery({ ...queries.filterActivity(midnight.getTime()), refetchInterval: REREAD_MS });
  return {
    activities: data && new Map(data.activites.map((activity) => [activity._id, activity])),
    isPartial: data?.partiel === true,
  };
}

interface ActivityProps {
  readonly filtre: Filtre;
  readonly activity: FiltreActivite | undefined;
  /** The counts are lower bounds. */
  readonly isPartial: boolean;
}

/** What the filter found today, its latest find and its purchases; above it, whether it is paused. */
export function Activity(props: ActivityProps) {
  return (
    <>
      {props.filtre.active ? null : <Paused filtre={props.filtre} />}
      <Life {...props} />
    </>
  );
}

/** Of a paused filter only what there is. */
function Life({ filtre, activity, isPartial }: ActivityProps) {
  const nowMs = useNowMs();
  if (activity === undefined)
    return filtre.active ? <p className="filtre-card__life stack" aria-hidden="true" /> : null;
  const { trouves_aujourdhui: found, dernier: latest, achetes: bought } = activity;
  if (!filtre.active && found === 0 && latest === null && bought === 0) return null;
  return (
    <div className="filtre-card__life stack">
      <p>
        {isPartial ? "au moins " : ""}
        <strong>{formatCount(found)}</strong> {plural(found, "trouvé", "trouvés")} aujourd'hui
        <Bought filtre={filtre} activity={activity} />
      </p>
      <p className="filtre-card__latest line dim">
        {latest === null ? (
          "Rien trouvé depuis 24 h"
        ) : (
          <>
            <span className="clip">Dernier : {formatQuoted(latest.title)}</span>
            <time dateTime={new Date(latest.vu_a).toISOString()}>{formatAge(latest.vu_a, nowMs)}</time>
          </>
        )}
      </p>
    </div>
  );
}

function Bought({ filtre, activity }: Pick<ActivityProps, "filtre"> & { readonly activity: FiltreActivite }) {
  const { achetes: bought } = activity;
  if (bought === 0 && !filtre.autobuy) return null;
  const word = filtre.simulation ? plural(bought, "simulé", "simulés") : plural(bought, "acheté", "achetés");
  return (
    <>
      {" · "}
      <strong>{formatCount(bought)}</strong> {word}
      {filtre.max_achats === null ? "" : ` sur ${formatCount(filtre.max_achats)}`}
    </>
  );
}

/** Saving an edit pauses a filter (specification §3): its card says so and offers to reactivate it. */
function Paused({ filtre }: Pick<ActivityProps, "filtre">) {
  const command = useFiltreFlag(filtre, "active");
  return (
    <div className="filtre-card__paused row between">
      <p>Il ne cherche plus</p>
      <PassingButton
        size="sm"
        aria-label={`Réactiver ${filtre.tag}`}
        loading={command.isBusy}
        onPress={() => command.set(true)}
      >
        Réactiver
      </PassingButton>
    </div>
  );
}
