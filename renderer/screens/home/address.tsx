import { useState } from 'react'
import { Link } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import { useIsOwner } from '../../api/account.ts'
import type { Body } from '../../api/client.ts'
import { endpoint, isAtServer } from '../../api/endpoint.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Choices } from '../../ui/choices.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { Loaded, Notice } from '../../ui/states.tsx'
import styles from './connect.module.css'

type Device = keyof typeof t.connect.devices

/**
 * The address to enter in a client. At the computer of the server it works there only, so the owner can see the one for other devices:
 * others may not read the addresses, and a page that was opened from elsewhere has the right one.
 */
export function Address() {
  const [device, setDevice] = useState<Device>('here')
  const hasChoice = useIsOwner() && isAtServer
  return (
    <>
      {hasChoice && (
        <Choices label={t.connect.device} onChange={setDevice} options={t.connect.devices} value={device} />
      )}
      {hasChoice && device === 'phone' ? <PhoneAddress /> : <AddressField address={endpoint} />}
    </>
  )
}

function AddressField({ address }: { readonly address: string }) {
  return <CopyField label={t.ui.copyAddress} name={t.connect.address} text={address} />
}

function PhoneAddress() {
  const query = useXrpcQuery(com.core.admin.getNetwork, {})
  return (
    <Loaded query={query} rows={1}>
      {(network) => <Reachable network={network} />}
    </Loaded>
  )
}

function Reachable({ network }: { readonly network: Body<typeof com.core.admin.getNetwork.main> }) {
  const { way, publicUrl, addresses } = network
  const [address, ...others] = publicUrl === undefined ? addresses : [publicUrl]
  if (address === undefined) {
    return (
      <Notice action={<Link href="/network">{t.nav.network}</Link>} variant="warn">
        {way === 'thisComputer' ? t.connect.phoneClosed : t.connect.phoneOffline}
      </Notice>
    )
  }
  return (
    <div className={styles.phone}>
      <QrCode label={t.connect.qr(address)} text={address} />
      <div className={styles.phoneText}>
        <AddressField address={address} />
        <p className="soft">{publicUrl === undefined ? t.connect.phoneHint : t.connect.phonePublicHint}</p>
        {others.length > 0 && (
          <details>
            <summary>{t.connect.otherAddresses}</summary>
            {others.map((other) => (
              <AddressField address={other} key={other} />
            ))}
          </details>
        )}
      </div>
    </div>
  )
}
