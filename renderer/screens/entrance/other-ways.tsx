import { ArchiveRestore, CloudDownload, KeyRound, type LucideIcon, Truck } from 'lucide-react'
import { Link } from 'wouter'
import { desktop } from '../../bridge.ts'
import { entrances } from '../../entrances.ts'
import { t } from '../../strings/en.ts'
import { Stack, useTitle } from '../../ui/page.tsx'
import styles from './other-ways.module.css'

interface Way {
  readonly icon: LucideIcon
  readonly href: string
  readonly name: string
  readonly detail: string
}

const bring: Way = { icon: Truck, href: entrances.moveIn, name: t.move.bring, detail: t.move.bringDetail }
const recover: Way = {
  icon: KeyRound,
  href: entrances.recover,
  name: t.recover.way,
  detail: t.recover.wayDetail,
}
const restore: Way = {
  icon: ArchiveRestore,
  href: entrances.saved,
  name: t.bringBack.saved,
  detail: t.bringBack.savedDetail,
}

/** The ways to start besides a new account. */
export function OtherWays() {
  return (
    <section aria-labelledby="other-ways" className={styles.ways}>
      <h2 id="other-ways">{t.move.otherWays}</h2>
      <Ways ways={desktop ? [bring, recover, restore] : [bring, recover]} />
    </section>
  )
}

const kinds: readonly Way[] = [
  { icon: CloudDownload, href: entrances.restore, name: t.bringBack.way, detail: t.bringBack.wayDetail },
  { icon: ArchiveRestore, href: '/backups', name: t.move.restore, detail: t.move.restoreDetail },
]

/** The kinds of backups and copies that a server is restored from. */
export function SavedKinds() {
  useTitle(t.bringBack.saved)
  return (
    <Stack>
      <h1 tabIndex={-1}>{t.bringBack.savedTitle}</h1>
      <Ways ways={kinds} />
      <p>
        <Link href={entrances.create}>{t.bringBack.back}</Link>
      </p>
    </Stack>
  )
}

function Ways({ ways }: { readonly ways: readonly Way[] }) {
  return (
    <ul className={styles.list}>
      {ways.map(({ icon: Icon, href, name, detail }) => (
        <li key={href}>
          <Link className={styles.way} href={href}>
            <Icon aria-hidden size={20} strokeWidth={1.75} />
            <span>
              <strong>{name}</strong>
              <span className="soft">{detail}</span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
