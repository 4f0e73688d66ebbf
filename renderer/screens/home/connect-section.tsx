import { AppWindow, Cloud, CodeXml, KeyRound, LogIn, SquareTerminal, Terminal } from 'lucide-react'
import { type Ref, useState } from 'react'
import { useClients } from '../../parts/apps/clients.ts'
import { t } from '../../strings/en.ts'
import { Choices } from '../../ui/choices.tsx'
import { FoldedSection, Panel, Stack } from '../../ui/page.tsx'
import { Arrival } from './arrival.tsx'
import styles from './connect.module.css'
import { type Client, Guide } from './guide.tsx'

const icons = {
  window: AppWindow,
  official: Cloud,
  password: KeyRound,
  oauth: LogIn,
  goat: Terminal,
  library: CodeXml,
  curl: SquareTerminal,
} as const

/** Those that were made since the screen was opened: each is shown until it is left. */
type Passwords = Readonly<Partial<Record<Client, string>>>

/** How a client is connected: open as long as the account never had one. A client that arrives leaves it open. */
export function ConnectSection({ ref }: { readonly ref: Ref<HTMLDetailsElement> }) {
  const { data: clients, isError } = useClients()
  const [isOpen, setOpen] = useState<boolean>()
  if (isOpen === undefined && (clients || isError)) setOpen(clients?.last === undefined)
  if (isOpen === undefined) return null
  return (
    <FoldedSection isOpen={isOpen} lead={t.connect.lead} ref={ref} title={t.connect.title}>
      <Connect />
    </FoldedSection>
  )
}

/** What to type in a client, an app password for it, and whether it has arrived. */
function Connect() {
  const [client, setClient] = useState<Client>('window')
  const [awaitedAt, setAwaitedAt] = useState<number>()
  const [passwords, setPasswords] = useState<Passwords>({})
  const choose = (next: Client) => {
    setClient(next)
    // Others are on their way once an app password was made; this one signs in by a page.
    if (next === 'oauth') setAwaitedAt(Date.now())
  }
  const onMade = (password: string) => {
    setPasswords({ ...passwords, [client]: password })
    setAwaitedAt(Date.now())
  }
  return (
    <Panel padded>
      <Stack>
        <Choices
          icons={icons}
          label={t.connect.client}
          onChange={choose}
          options={t.connect.clients}
          value={client}
        />
        <Guide client={client} key={client} onMade={onMade} password={passwords[client]} />
        <Arrival awaitedAt={awaitedAt} />
        <Help />
      </Stack>
    </Panel>
  )
}

function Help() {
  return (
    <details>
      <summary>{t.connect.helpTitle}</summary>
      <dl className={styles.help}>
        {t.connect.help.map(({ problem, remedy }) => (
          <div key={problem}>
            <dt>{problem}</dt>
            <dd>{remedy}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
