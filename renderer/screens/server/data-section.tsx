import type { SettingsView } from '../../../electron/bridge.ts'
import { callDesktop } from '../../api/desktop.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { Panel, Section } from '../../ui/page.tsx'
import { Notice } from '../../ui/states.tsx'

export function DataSection({ view }: { readonly view: SettingsView }) {
  return (
    <Section
      action={
        <Button onClick={() => void callDesktop('app.openFolder', 'data')} size="s">
          {t.server.openFolder}
        </Button>
      }
      title={t.server.data}
    >
      <Panel>
        <CopyField label={t.server.copyDataFolder} name={t.server.dataFolder} text={view.dataFolder} />
      </Panel>
      {view.secretProtection === 'system' ? (
        <Notice>{t.server.protectedBySystem}</Notice>
      ) : (
        <Notice variant="warn">{t.server.protectedByFile}</Notice>
      )}
    </Section>
  )
}
