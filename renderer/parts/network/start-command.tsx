import type { com } from '../../../lexicons/generated/index.ts'
import { t } from '../../strings/en.ts'
import { CopyBlock } from '../../ui/copy.tsx'

interface StartedServer {
  readonly network: Pick<com.core.admin.getNetwork.$OutputBody, 'startedWith'>
}

interface StartCommandProps extends StartedServer {
  /** Flags that are given a value, or left out (undefined). */
  readonly flags: Readonly<Record<string, string | undefined>>
}

/** The command that starts this server again with other flags: its folder, its port and all other settings stay. */
export function StartCommand({ network: { startedWith }, flags }: StartCommandProps) {
  const kept = startedWith?.options.filter(({ flag }) => !(flag in flags)).map(({ text }) => text) ?? []
  const given = Object.entries(flags).flatMap(([flag, value]) =>
    value === undefined ? [] : `--${flag} ${value}`,
  )
  const secrets = startedWith?.secrets ?? []
  return (
    <>
      <Command name="serve" options={[...kept, ...given]} />
      {secrets.length > 0 && <p>{t.network.needsSecrets(secrets)}</p>}
    </>
  )
}

/** A command for the data of this server: its folder stays. @param options what the command is to do */
export function DataCommand({
  network: { startedWith },
  name,
  options,
}: StartedServer & { readonly name: string; readonly options: readonly string[] }) {
  const folder = startedWith?.options.filter(({ flag }) => flag === 'data-dir').map(({ text }) => text) ?? []
  return <Command name={name} options={[...options, ...folder]} />
}

function Command({ name, options }: { readonly name: string; readonly options: readonly string[] }) {
  const text = [`npm run ${name}`, ...(options.length > 0 ? ['--'] : []), ...options].join(' ')
  return <CopyBlock label={t.ui.copyCommand} text={text} wrap />
}
