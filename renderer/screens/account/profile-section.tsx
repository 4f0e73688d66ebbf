import { imageUrl } from '../../api/images.ts'
import { useOwnProfile, useProfileRecord } from '../../api/profile.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { DialogButton } from '../../ui/dialog.tsx'
import { Panel, Section } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import styles from './profile.module.css'
import { ProfileDialog } from './profile-dialog.tsx'

/** The profile as others see it, with a button to edit it. */
export function ProfileSection() {
  const { did, handle } = useSession()
  const record = useProfileRecord()
  const { data: view } = useOwnProfile(did)
  const pictures = { avatar: view?.avatar, banner: view?.banner }
  const banner = imageUrl(view?.banner)
  return (
    <Section
      action={
        record.data !== undefined && (
          <DialogButton
            dialog={(close) => <ProfileDialog base={record.data} onClose={close} pictures={pictures} />}
          >
            {t.profile.edit}
          </DialogButton>
        )
      }
      lead={t.profile.lead}
      title={t.profile.title}
    >
      <Loaded query={record} rows={2}>
        {(base) => (
          <>
            <Panel>
              {banner && <img alt="" className={styles.banner} src={banner} />}
              <div className={styles.person}>
                <Avatar handle={handle} picture={view?.avatar} size="l" />
                <div className={styles.about}>
                  <strong>{view?.displayName || handle}</strong>
                  <p className="soft">
                    {[view?.displayName && handle, view?.pronouns].filter(Boolean).join(' · ')}
                  </p>
                  {base === null && <p className="soft">{t.profile.noneText}</p>}
                  {view?.description && <p className={styles.description}>{view.description}</p>}
                  {view?.website && <p className="soft">{view.website}</p>}
                </div>
              </div>
            </Panel>
          </>
        )}
      </Loaded>
    </Section>
  )
}
