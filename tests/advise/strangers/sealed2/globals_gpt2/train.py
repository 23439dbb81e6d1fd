# SPDX-License-Identifier: GPL-3.0-or-later
def train_model(model, train_loader, criterion, optimizer, num_epochs, device):
    for epoch in range(num_epochs):
        model.train()
        total = 0.0
        for x, y in train_loader:
            logits = model(x.to(device))
            loss = criterion(logits.flatten(0, 1), y.to(device).flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"Epoch [{epoch + 1}/{num_epochs}] Loss: {total / len(train_loader):.4f}")
