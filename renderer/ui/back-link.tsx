import { ArrowLeft } from 'lucide-react'
import { Link } from 'wouter'
import styles from './back-link.module.css'

/** The link above the title of a screen to the one that it belongs to. */
export function BackLink({ href, name }: { readonly href: string; readonly name: string }) {
  return (
    <Link className={styles.back} href={href}>
      <ArrowLeft aria-hidden size={16} />
      {name}
    </Link>
  )
}
