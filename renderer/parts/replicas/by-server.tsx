import { com } from '../../../lexicons/generated/index.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Notice } from '../../ui/states.tsx'
import { DataCommand } from '../network/start-command.tsx'

const sheet = ['--sheet FILE']

/** In a browser: how places are set, and the command for the recovery sheet of this server once there is one. */
export function ByServer({ hasPlaces }: { readonly hasPlaces: boolean }) {
  const { data: network } = useXrpcQuery(com.core.admin.getNetwork, {}, { enabled: hasPlaces })
  return (
    <Notice>
      <p>{t.copies.byServer}</p>
      {hasPlaces && network && (
        <>
          <p>{t.copies.sheetByCommand}</p>
          <DataCommand name="backup" network={network} options={sheet} />
        </>
      )}
    </Notice>
  )
}
