import { IconPlayerPlay } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { DEFAULT_LIMIT_EUR } from "#contract/bounds.ts";
import type { Filtre, FiltrePret } from "#contract/filtre.ts";
import { call, errorText } from "../../api/client.ts";
import { changeFiltre } from "../../api/filter-commands.ts";
import { reloadEverything } from "../../api/queries.ts";
import { formatCounted, formatEuros, formatQuoted } from "../../ui/format.ts";
import { keepFocus } from "../../ui/windows/keep-focus.ts";
import { showToast } from "../../ui/toasts/toast.tsx";
import "./ready-filters.css";

/** Filters that start with one click and are known to find something; where none is known, everything that is new. */
export function ReadyFilters({ filtres }: { readonly filtres: readonly FiltrePret[] }) {
  const start = useStart();
  return (
    <div className="ready-filters">
      <p>
        {filtres.length > 0
          ? "Commencez en un clic : ces filtres trouvent des articles en ce moment. Rien n'est acheté sans vous."
          : "Rien n'a été vu sur le marché ces dernières minutes. Commencez par tout ce qui arrive, précisez ensuite."}
      </p>
      <div className="ready-filters__choices" aria-busy={start.isPending}>
        {filtres.map((filtre) => (
          <StartButton
            key={filtre.tag}
            tag={filtre.tag}
            detail={`${formatCounted(filtre.articles, "article", "articles")} en 1 h · jusqu'à ${formatEuros(filtre.limit)}`}
            isDisabled={start.isPending}
            onStart={() => start.mutate(filtre)}
          />
        ))}
        {filtres.length > 0 ? null : (
          <StartButton
            tag={EVERYTHING_TAG}
            detail={`Toutes catégories · jusqu'à ${formatEuros(DEFAULT_LIMIT_EUR)}`}
            isDisabled={start.isPending}
            onStart={() => start.mutate(null)}
          />
        )}
      </div>
    </div>
  );
}

const EVERYTHING_TAG = "Toutes les nouveautés";

interface StartButtonProps {
  readonly tag: string;
  readonly detail: string;
  readonly isDisabled: boolean;
  readonly onStart: () => void;
}

function StartButton({ tag, detail, isDisabled, onStart }: StartButtonProps) {
  return (
    <button
      type="button"
      aria-label={`Lancer ${formatQuoted(tag)} : ${detail}`}
      disabled={isDisabled}
      onClick={onStart}
    >
      <IconPlayerPlay size={18} stroke={2} aria-hidden="true" />
      <span className="ready-filters__tag">{tag}</span>
      <span className="ready-filters__detail">{detail}</span>
    </button>
  );
}

/** Creates the filter for the person: active, private, without auto-buy. Null: a filter without criteria. */
function useStart() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (pret: FiltrePret | null): Promise<Filtre> => {
      const originalId = pret?.copie_de ?? null;
      if (originalId !== null) {
        const { filtre } = await call("copyFilter", { body: { _id: originalId } });
        // A copy starts paused.
        return (await changeFiltre(client, filtre, { active: true })).filtre;
      }
      const criteria = pret === null ? { tag: EVERYTHING_TAG } : criteriaOf(pret);
      return (await call("addFilter", { body: { ...criteria, private: true } })).filtre;
    },
    onSuccess: async ({ tag }) => {
      showToast({ message: `Filtre ${formatQuoted(tag)} lancé : ses articles arrivent ici.` });
      await reloadEverything(client);
      // The button that was pressed is gone.
      keepFocus(() => document.querySelector<HTMLElement>("main"));
    },
    onError: (error) => showToast({ message: errorText(error), tone: "bad" }),
  });
}

function criteriaOf({ tag, types, brands, sizes, status, color, limit }: FiltrePret) {
  return { tag, types, brands, sizes, status, color, limit };
}
