import { Button, TextInput } from "@mantine/core";
import { IconCopy, IconEyeOff, IconSearch } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useId, useRef, useState } from "react";
import type { FiltrePublic } from "#contract/filtres/filtre.ts";
import { call } from "../../api/client.ts";
import { queries, reloadEverything } from "../../api/queries.ts";
import { formatCounted } from "../../ui/format-panel.ts";
import { Guard } from "../../ui/loading/guard.tsx";
import { LeftOut, ReadFailed, ScreenState } from "../../ui/notice.tsx";
import { showError, showToast } from "../../ui/toasts/show-toast.ts";
import { Loading } from "../../ui/loading/unread-part.tsx";
import { keepFocus } from "../../ui/windows/keep-focus.ts";
import { useSingleMutation } from "../../ui/windows/use-single-mutation.ts";
import { BargainBadge } from "./filtre-card.tsx";
import { criteriaText } from "./filtre-facts.ts";

const MAX_SEARCH_LENGTH = 200;
const shownColumns = ["Types", "Marques", "Tailles", "États", "Couleurs", "Limite de prix"] as const;

/** Public filters of other subscribers, without their names. A copy is private and paused. */
export function PublicFilters() {
  const [search, setSearch] = useState("");
  const wanted = useDeferredValue(search.trim());
  const { data, isError, refetch } = useQuery(queries.publicFilters(wanted));
  return (
    <div className="public-filters stack">
      <TextInput
        type="search"
        aria-label="Chercher dans les filtres publics"
        placeholder="Marque, type ou tag"
        leftSection={<IconSearch size={18} stroke={1.8} />}
        maxLength={MAX_SEARCH_LENGTH}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        data-search
      />
      {data === undefined ? (
        isError ? (
          <ReadFailed what="Les filtres publics" onRetry={refetch} />
        ) : (
          <Loading label="Chargement des filtres publics" height={220} radius="lg" />
        )
      ) : (
        <PublicGrid filtres={data} isSearch={wanted !== ""} />
      )}
    </div>
  );
}

function PublicGrid({
  filtres,
  isSearch,
}: {
  readonly filtres: readonly FiltrePublic[];
  readonly isSearch: boolean;
}) {
  if (filtres.length === 0) {
    return (
      <ScreenState
        icon={<IconEyeOff size={28} stroke={1.6} />}
        title="Aucuns filtres trouvés"
        text={isSearch ? "Aucun filtre public ne correspond." : "Personne n'a encore partagé de filtre."}
      />
    );
  }
  return (
    <div className="filtres__grid">
      {filtres.map((filtre) => (
        <Guard key={filtre._id} of={filtre} fallback={null}>
          <PublicCard filtre={filtre} />
        </Guard>
      ))}
      <LeftOut list="publicFilters" one="filtre" many="filtres" />
    </div>
  );
}

function PublicCard({ filtre }: { readonly filtre: FiltrePublic }) {
  const client = useQueryClient();
  const titleId = useId();
  const button = useRef<HTMLButtonElement>(null);
  const copy = useSingleMutation({
    mutationFn: () => call("copyFilter", { body: { _id: filtre._id } }),
    onSuccess: ({ message }) => {
      showToast({ message });
      void reloadEverything(client);
    },
    onError: showError,
    onSettled: () => keepFocus(() => button.current),
  });
  return (
    <article className="filtre-card card public-card" aria-labelledby={titleId} data-active>
      <h2 id={titleId}>{filtre.tag}</h2>
      {filtre.bon_prix === null ? null : (
        <div className="filtre-card__badges row" data-gap="6">
          <BargainBadge percent={filtre.bon_prix} />
        </div>
      )}
      <dl className="filtre-card__facts stack" data-gap="6">
        {shownColumns.map((column) => (
          <div key={column}>
            <dt>{column}</dt>
            <dd>{criteriaText(filtre, column)}</dd>
          </div>
        ))}
      </dl>
      <footer className="line between aside" data-gap="12">
        <span>{formatCounted(filtre.copies, "copie", "copies")}</span>
        <Button
          ref={button}
          aria-describedby={titleId}
          leftSection={<IconCopy size={17} stroke={1.8} />}
          loading={copy.isPending}
          onClick={() => copy.mutate()}
        >
          Copier
        </Button>
      </footer>
    </article>
  );
}
