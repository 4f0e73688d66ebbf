import { ArchiveRestore, CloudDownload, Truck } from 'lucide-react'
import { Link } from 'wouter'
import { desktop } from '../../bridge.ts'
import { entrances } from '../../entrances.ts'
import { t } from '../../strings/en.ts'
import styles from './other-ways.module.css'

/** The ways to start besides a new account: bring one from another server, or restore a backup. */
export function OtherWays() {
  return (
    <section aria-labelledby="other-ways" className={styles.ways}>
      <h2 id="other-ways">{t.move.otherWays}</h2>
      <ul>
        <li>
          <Link className={styles.way} href={entrances.moveIn}>
            <Truck aria-hidden size={20} strokeWidth={1.75} />
            <span>
              <strong>{t.move.bring}</strong>
              <span className="soft">{t.move.bringDetail}</span>
            </span>
          </Link>
        </li>
        {desktop && (
          <li>
            <Link className={styles.way} href={entrances.restore}>
              <CloudDownload aria-hidden size={20} strokeWidth={1.75} />
              <span>
                <strong>{t.bringBack.way}</strong>
                <span className="soft">{t.bringBack.wayDetail}</span>
              </span>
            </Link>
          </li>
        )}
        {desktop && (
          <li>
            <Link className={styles.way} href="/backups">
              <ArchiveRestore aria-hidden size={20} strokeWidth={1.75} />
              <span>
                <strong>{t.move.restore}</strong>
                <span className="soft">{t.move.restoreDetail}</span>
              </span>
            </Link>
          </li>
        )}
      </ul>
    </section>
  )
}
