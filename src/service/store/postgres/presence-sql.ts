/**
 * `change_presence` registers and removes sessions in `connections`, in the order given. Changes of one topic are made one after
 * another over all nodes, so that each sees the sessions that are left: the count is read after the lock, in a snapshot of its own.
 * A node removes only sessions that are registered at itself.
 *
 * It returns a number for each change: the sessions that the topic has then; null for a session that is registered at
 * another node and was not removed; −1 − the sessions for one that is not registered at all.
 */
export const presenceSql = `
  CREATE FUNCTION rallypoint.change_presence(own text, topics text[], sessions text[], enters boolean[])
  RETURNS integer[] LANGUAGE plpgsql AS $function$
  DECLARE
    key bigint;
    left_over integer;
    is_changed boolean;
    counts integer[] := '{}';
  BEGIN
    FOR key IN SELECT DISTINCT hashtextextended('presence/' || t, 0) FROM unnest(topics) AS t ORDER BY 1 LOOP
      PERFORM pg_advisory_xact_lock(key);
    END LOOP;
    FOR i IN 1 .. cardinality(topics) LOOP
      IF enters[i] THEN
        INSERT INTO rallypoint.connections (topic, session, node) VALUES (topics[i], sessions[i], own)
        ON CONFLICT (topic, session) DO UPDATE SET node = own;
      ELSE
        DELETE FROM rallypoint.connections WHERE topic = topics[i] AND session = sessions[i] AND node = own;
      END IF;
      is_changed := FOUND;
      SELECT count(*) INTO left_over FROM rallypoint.connections WHERE topic = topics[i];
      IF NOT is_changed THEN
        IF EXISTS (SELECT FROM rallypoint.connections WHERE topic = topics[i] AND session = sessions[i]) THEN
          left_over := NULL;
        ELSE
          left_over := -1 - left_over;
        END IF;
      END IF;
      counts := counts || left_over;
    END LOOP;
    RETURN counts;
  END $function$;
`;
