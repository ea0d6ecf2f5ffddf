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

/** What the filter found today, its latest find and its purchases. */
export function Activity({ filtre, activity, isPartial }: ActivityProps) {
  if (!filtre.active) return <Paused filtre={filtre} activity={activity} isPartial={isPartial} />;
  if (activity === undefined) return <p className="filtre-card__life stack" aria-hidden="true" />;
  const { dernier: latest } = activity;
  return (
    <div className="filtre-card__life stack">
      <p>
        <Found activity={activity} isPartial={isPartial} />
        <Bought filtre={filtre} activity={activity} />
      </p>
      {latest === null ? (
        <p className="filtre-card__latest line dim">Rien trouvé depuis 24 h</p>
      ) : (
        <Latest latest={latest} />
      )}
    </div>
  );
}

interface FoundProps extends Pick<ActivityProps, "isPartial"> {
  readonly activity: FiltreActivite;
}

function Found({ activity: { trouves_aujourdhui: found }, isPartial }: FoundProps) {
  return (
    <>
      {isPartial ? "au moins " : ""}
      <strong>{formatCount(found)}</strong> {plural(found, "trouvé", "trouvés")} aujourd'hui
    </>
  );
}

function Latest({ latest }: { readonly latest: NonNullable<FiltreActivite["dernier"]> }) {
  const nowMs = useNowMs();
  return (
    <p className="filtre-card__latest line dim">
      <span className="clip">Dernier : {formatQuoted(latest.title)}</span>
      <time dateTime={new Date(latest.vu_a).toISOString()}>{formatAge(latest.vu_a, nowMs)}</time>
    </p>
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
function Paused({ filtre, activity, isPartial }: ActivityProps) {
  const command = useFiltreFlag(filtre, "active");
  const latest = activity?.dernier ?? null;
  const hasFound = activity !== undefined && activity.trouves_aujourdhui > 0;
  return (
    <>
      <div className="filtre-card__paused row between">
        <p>
          Il ne cherche plus
          {hasFound ? (
            <>
              {" · "}
              <Found activity={activity} isPartial={isPartial} />
            </>
          ) : null}
          {activity === undefined || activity.achetes === 0 ? null : (
            <Bought filtre={filtre} activity={activity} />
          )}
        </p>
        <PassingButton
          size="sm"
          aria-label={`Réactiver ${filtre.tag}`}
          loading={command.isBusy}
          onPress={() => command.set(true)}
        >
          Réactiver
        </PassingButton>
      </div>
      {latest === null ? null : <Latest latest={latest} />}
    </>
  );
}
