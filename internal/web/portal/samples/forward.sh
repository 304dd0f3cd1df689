export WEBHOOK_SECRET=whsec_$(openssl rand -base64 33)
python3 receiver.py &
dropyard listen --forward-to http://localhost:3000/hooks --webhook-secret "$WEBHOOK_SECRET"
