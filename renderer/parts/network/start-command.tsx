import { t } from '../../strings/en.ts'
import { CopyBlock } from '../../ui/copy.tsx'
import type { Network } from './owner-sections.tsx'

interface StartCommandProps {
  readonly network: Network
  /** Flags that are given a value, or left out (undefined). */
  readonly flags: Readonly<Record<string, string | undefined>>
}

/** The command that starts this server again with other flags: its folder, its port and all other settings stay. */
export function StartCommand({ network: { startedWith }, flags }: StartCommandProps) {
  const kept = startedWith?.options.filter(({ flag }) => !(flag in flags)).map(({ text }) => text) ?? []
  const given = Object.entries(flags).flatMap(([flag, value]) =>
    value === undefined ? [] : `--${flag} ${value}`,
  )
  const options = [...kept, ...given]
  const secrets = startedWith?.secrets ?? []
  return (
    <>
      <CopyBlock
        label={t.ui.copyCommand}
        text={['npm run serve', ...(options.length > 0 ? ['--'] : []), ...options].join(' ')}
        wrap
      />
      {secrets.length > 0 && <p>{t.network.needsSecrets(secrets)}</p>}
    </>
  )
}
