import { IconFilterOff, IconHistory, IconPlugConnectedX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { Filtre } from "#contract/filtres/filtre.ts";
import type { Rejeu } from "#contract/filtres/rejeu.ts";
import { leftOut } from "../../../api/answers.ts";
import { errorText } from "../../../api/client.ts";
import { PARTIAL_FILTER_TEXT } from "../../../api/commands.ts";
import { queries } from "../../../api/queries.ts";
import { NEVER_READ_TEXT, pastText } from "../../../ui/charts/day-text.ts";
import { DayBars } from "../../../ui/charts/day-bars.tsx";
import { formatCount } from "../../../ui/format.ts";
import { formatQuoted } from "../../../ui/format-panel.ts";
import { WindowGuard } from "../../../ui/loading/guard.tsx";
import { ButtonLink, LeftOut, ReadFailed, RetryButton, ScreenState } from "../../../ui/notice.tsx";
import { LoadingList } from "../../../ui/loading/unread-part.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { draftOf } from "../form/draft.ts";
import { ReplayExamples } from "./replay-examples.tsx";
import { replayQuery } from "./replay-query.ts";
import {
  conditionTexts,
  headlineText,
  isNeverRead,
  limitTexts,
  reserveTexts,
  rivalsText,
  seenText,
} from "./replay-texts.ts";
import "./replay-page.css";

/** What one of the person's filters would have found and bought in 30 days. */
export function ReplayPage() {
  const { f: id } = useSearch({ from: "/synapse/filtres/rejeu" });
  const { data: filters, isError, refetch } = useQuery(queries.filters);
  const filtre = filters?.find(({ _id }) => _id === id);
  return (
    <div className="replay stack">
      <PageHeader
        title={pastText("Sur")}
        subtitle={filtre === undefined ? undefined : `Filtre ${formatQuoted(filtre.tag)}`}
        actions={<ButtonLink to="/synapse/filtres">Mes filtres</ButtonLink>}
      />
      {filters === undefined ? (
        isError ? (
          <ReadFailed what="Vos filtres" onRetry={refetch} />
        ) : (
          <Loading />
        )
      ) : filtre === undefined || filtre.isPartial === true ? (
        <ScreenState
          icon={<IconFilterOff size={28} stroke={1.6} />}
          title="Filtre introuvable"
          text={
            filtre === undefined ? "Il a été supprimé, ou ce lien n'est pas le vôtre." : PARTIAL_FILTER_TEXT
          }
        />
      ) : (
        <WindowGuard key={filtre._id}>
          <Backtest filtre={filtre} />
        </WindowGuard>
      )}
    </div>
  );
}

function Loading() {
  return <LoadingList label="Calcul en cours" heights={[112, 208, 320]} />;
}

function Backtest({ filtre }: { readonly filtre: Filtre }) {
  const { data, error, isFetching, refetch } = useQuery(replayQuery(draftOf(filtre), filtre.groupe));
  if (data === undefined)
    return error === null || isFetching ? (
      <Loading />
    ) : (
      <ScreenState
        icon={<IconPlugConnectedX size={28} stroke={1.6} />}
        title="Calcul impossible"
        text={errorText(error)}
      >
        <RetryButton onRetry={refetch} />
      </ScreenState>
    );
  if (isNeverRead(data))
    return (
      <ScreenState
        icon={<IconHistory size={28} stroke={1.6} />}
        title="Rien n'a encore été vu"
        text={NEVER_READ_TEXT}
      />
    );
  return (
    <>
      <Summary rejeu={data} filtre={filtre} />
      {data.articles === 0 ? null : <Days rejeu={data} />}
      <div className="replay__columns stack">
        <Changes rejeu={data} filtre={filtre} />
        <Losses pertes={data.pertes} />
      </div>
      <ReplayExamples rejeu={data} />
    </>
  );
}

function Summary({ rejeu, filtre }: { readonly rejeu: Rejeu; readonly filtre: Filtre }) {
  const { data: blocked = [] } = useQuery(queries.blockedSellers);
  return (
    <section className="replay__part card stack" data-gap="8" aria-label="Résumé">
      <p className="replay__headline">{headlineText(rejeu)}</p>
      {rejeu.achats === null || rejeu.achats.nombre === 0 ? null : <p>{rivalsText(rejeu.achats)}</p>}
      <p className="aside">{seenText(rejeu)}</p>
      {reserveTexts(rejeu, filtre, blocked).map((text) => (
        <p key={text} className="aside">
          {text}
        </p>
      ))}
    </section>
  );
}

function Days({ rejeu: { jours, achats } }: { readonly rejeu: Rejeu }) {
  const days = jours.map(({ jour, articles, achats: bought }) => ({
    day: jour,
    count: articles,
    part: bought,
  }));
  return (
    <section className="replay__part card stack" data-gap="8">
      <DayBars
        caption="Articles par jour"
        days={days}
        counted={{ one: "article", many: "articles" }}
        {...(achats === null ? {} : { parts: { one: "achat", many: "achats" } })}
      />
      <LeftOut list="replayDays" one="jour" many="jours" />
    </section>
  );
}

/** What other conditions and limits would have found. */
function Changes({ rejeu, filtre }: { readonly rejeu: Rejeu; readonly filtre: Filtre }) {
  return (
    <section className="replay__part card stack" data-gap="8" aria-labelledby="autrement">
      <h2 id="autrement">Et autrement ?</h2>
      <ul className="replay__list ruled">
        {[...conditionTexts(rejeu, filtre), ...limitTexts(rejeu, filtre)].map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <LeftOut list="replayConditions" one="condition" many="conditions" />
      <LeftOut list="replayLimits" one="limite" many="limites" />
    </section>
  );
}

/** Why articles would not have been bought. */
function Losses({ pertes }: Pick<Rejeu, "pertes">) {
  if (pertes.length === 0 && leftOut.of("replayLosses") === 0) return null;
  return (
    <section className="replay__part card stack" data-gap="8" aria-labelledby="non-achetes">
      <h2 id="non-achetes">Non achetés</h2>
      <ul className="replay__list ruled">
        {pertes.map(({ code, cause, nombre }) => (
          <li key={code}>
            {cause} : {formatCount(nombre)}
          </li>
        ))}
      </ul>
      <LeftOut list="replayLosses" one="motif" many="motifs" />
    </section>
  );
}
