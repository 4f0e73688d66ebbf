/** SQL that makes the tables fit each other again after rows were lost: what triggers keep, rows that name missing ones, and single rows. */
import { actorPaths, countedByRecord, paths } from './link-paths.ts'

export const derivedRows = `
  UPDATE accounts SET deactivated_at = deactivated_at;
  UPDATE actors SET inactive = 1 WHERE id IN (SELECT id FROM remote_actors WHERE status IS NOT NULL);

  DELETE FROM links WHERE path IN ${actorPaths} AND subject NOT IN (SELECT id FROM actors);
  DELETE FROM links WHERE path NOT IN ${actorPaths} AND subject NOT IN (SELECT id FROM subjects);
  DELETE FROM link_counts;
  INSERT INTO link_counts (subject, path, count)
    SELECT subject, path, CASE WHEN path IN ${countedByRecord} THEN count(*) ELSE count(DISTINCT actor) END
    FROM links GROUP BY subject, path;
  DELETE FROM follow_counts;
  INSERT INTO follow_counts (actor, followers, follows)
    SELECT actor, sum(followers), sum(follows) FROM (
      SELECT l.subject AS actor, count(DISTINCT l.actor) AS followers, 0 AS follows
        FROM links l JOIN actors a ON a.id = l.actor AND a.inactive = 0
        WHERE l.path = ${paths.follow} GROUP BY l.subject
      UNION ALL
      SELECT l.actor, 0, count(DISTINCT l.subject)
        FROM links l JOIN actors a ON a.id = l.subject AND a.inactive = 0
        WHERE l.path = ${paths.follow} GROUP BY l.actor)
    GROUP BY actor;

  DELETE FROM notifications WHERE record IS NULL AND id NOT IN (SELECT notification FROM deleted_records);
  DELETE FROM notifications WHERE subject NOT IN (SELECT id FROM subjects);
  UPDATE notifications SET hidden = hidden & ~16 WHERE hidden & 16 AND record NOT IN (SELECT record FROM taken_down_records);
  DELETE FROM notification_kinds;
  INSERT INTO notification_kinds (account, reason, followed, unread)
    SELECT n.account, reason, followed, sum(indexed_at > coalesce(seen_at, 0))
    FROM notifications n LEFT JOIN seen_markers s ON s.account = n.account WHERE hidden = 0
    GROUP BY n.account, reason, followed;

  DELETE FROM collection_sizes;
  INSERT INTO collection_sizes (actor, collection, records, bytes)
    SELECT actor, collection, count(*), sum(length(bytes)) FROM records GROUP BY actor, collection;

  INSERT OR IGNORE INTO clock (id, furthest_at) VALUES (1, 0);
  INSERT OR IGNORE INTO notification_clock (id, last) SELECT 1, coalesce(max(indexed_at), 0) FROM notifications;
  INSERT OR IGNORE INTO event_state (id, last_seq, outdated_seq, bytes)
    SELECT 1, coalesce(max(seq), 0), coalesce(min(seq) - 1, 0), 0 FROM events;
  UPDATE event_state SET bytes = (SELECT coalesce(sum(length(frame)), 0) FROM events);
`
