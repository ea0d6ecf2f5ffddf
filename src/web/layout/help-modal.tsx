import { Switch } from "@mantine/core";
import { parseFlag, usePreference } from "../ui/preference.ts";
import { Dialog } from "../ui/windows/dialog.tsx";
import { SHORTCUTS_KEY } from "./shortcut-keys.ts";
import "./help-modal.css";

const shortcuts = [
  { keys: ["J"], effect: "Article suivant" },
  { keys: ["K"], effect: "Article précédent" },
  { keys: ["A"], effect: "Acheter l'article choisi" },
  { keys: ["F"], effect: "Aller aux filtres" },
  { keys: ["/"], effect: "Chercher" },
  { keys: ["?"], effect: "Afficher cette aide" },
  { keys: ["Échap"], effect: "Fermer une fenêtre ou un menu" },
] as const;

interface HelpModalProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function HelpModal({ isOpen, onClose }: HelpModalProps) {
  const [isOn, setIsOn] = usePreference(SHORTCUTS_KEY, parseFlag, true);
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Raccourcis clavier" centered>
      <dl className="help-keys" data-off={!isOn || undefined}>
        {shortcuts.map(({ keys, effect }) => (
          <div key={effect} className="line">
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{effect}</dd>
          </div>
        ))}
      </dl>
      <Switch
        mt={24}
        label="Raccourcis d'une seule touche"
        description="À couper si vous dictez ou si une touche vous gêne."
        checked={isOn}
        onChange={(event) => setIsOn(event.currentTarget.checked)}
      />
    </Dialog>
  );
}
